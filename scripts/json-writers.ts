/** A JSON Schema as far as the bodies use it. */
interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A resolved value: what kind of JSON it is, and whether it may be null. */
interface Shape {
  readonly schema: Schema;
  readonly isNullable: boolean;
}

/** An encoder has its title's name in lower case. */
export interface Encoders {
  /** Where they are: file of src/response/ to titles. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  /**
   * Those that take columns and an index, because no object stands for an item of their array, with their first
   * properties that depend on the index alone: these are written once and copied from then on.
   */
  readonly indexed: Readonly<Record<string, readonly string[]>>;
}

/**
 * One function per object of the bodies, writing its properties in the order of the schema: names and punctuation as
 * ready-made words of eight bytes (doubles, which is what a view writes fastest), values by number-text.ts and string-text.ts. An object
 * with an encoder is encoded right where it is written, from what the encoder takes: the optimiser then sees that
 * nothing else reads it, and does not make it.
 */
export function generateJsonWriters(
  schemas: ReadonlyMap<string, Schema>,
  bodies: readonly string[],
  { files, indexed }: Encoders,
  banner: string,
): string {
  const functions = new Map<string, string>();
  const encoded = new Set(Object.values(files).flat());
  const roots = bodies.map((name) => titleOf(shapeOf({ $ref: `${name}.schema.json` }).schema));
  for (const name of bodies) objectWriter(shapeOf({ $ref: `${name}.schema.json` }).schema);
  const imports = Object.entries(files).map(
    ([file, titles]) => `import { ${titles.map(encoderOf).join(", ")} } from "../${file}.ts";`,
  );
  return `${banner}import type { ${[...functions.keys()].sort().join(", ")} } from "../../contracts/generated/types.ts";
import type { Own } from "../encoded.ts";
import { writeNumber } from "../number-text.ts";
import { keepText, type KeptText, writeKept, writeString } from "../string-text.ts";
import { TEXT_MEMORY, withRoom } from "../text-memory.ts";
${imports.join("\n")}

const view = new DataView(TEXT_MEMORY);
${Object.keys(indexed)
  .map((title) => `const kept${title}: (KeptText | undefined)[] = [];`)
  .join("\n")}

${[...functions].map(([title, code]) => (roots.includes(title) ? `export ${code}` : code)).join("\n\n")}
`;

  function shapeOf(schema: Schema): Shape {
    if (schema.$ref !== undefined) return shapeOf(target(schema.$ref));
    const only = schema.allOf?.[0];
    if (only !== undefined) return shapeOf(only);
    if (schema.oneOf !== undefined) {
      const others = schema.oneOf.filter(({ type }) => type !== "null");
      if (others.length !== 1) throw new Error("oneOf is null or one other");
      return { schema: shapeOf(others[0]!).schema, isNullable: true };
    }
    return { schema, isNullable: false };
  }

  function target(reference: string): Schema {
    const [file, definition] = reference.split("#/$defs/");
    const schema = schemas.get(file!.replace(".schema.json", ""));
    const found = definition === undefined ? schema : schema?.$defs?.[definition];
    if (found === undefined) throw new Error(`no schema ${reference}`);
    return found;
  }

  function objectWriter(schema: Schema): string {
    const title = titleOf(schema);
    if (functions.has(title)) return title;
    functions.set(title, "");
    const fixed = indexed[title];
    const isIndexed = fixed !== undefined;
    const encoder = encoderOf(title);
    const lines = encoded.has(title)
      ? [
          `function write${title}(of: Parameters<typeof ${encoder}>[0], ${isIndexed ? "index: number, " : ""}start: number): number {`,
          `  const body = ${encoder}(${isIndexed ? "of, index" : "of"}) satisfies Own<${title}>;`,
          "  let at = start;",
        ]
      : [`function write${title}(body: ${title}, start: number): number {`, "  let at = start;"];
    let pending = "{";
    if (isIndexed) lines.push(`  const kept = kept${title}[index];`, "  if (kept === undefined) {");
    Object.entries(schema.properties ?? {}).forEach(([name, property], index) => {
      const isRequired = schema.required?.includes(name) === true;
      if (index === 0 && !isRequired) throw new Error(`${title}: the first property is required`);
      const head = `${index === 0 ? "" : ","}${JSON.stringify(name)}:`;
      if (isRequired) {
        const isFixed = index < (fixed?.length ?? 0);
        if (isFixed && fixed?.[index] !== name)
          throw new Error(`${title}: the fixed properties are the first`);
        const indent = isFixed ? "    " : "  ";
        lines.push(
          ...literal(pending + head, indent),
          ...valueWriter(shapeOf(property), `body.${name}`, indent),
        );
        if (index + 1 === fixed?.length) {
          lines.push(`    kept${title}[index] = keepText(start, at);`);
          lines.push("  } else {", "    at = writeKept(kept, start);", "  }");
        }
        pending = "";
        return;
      }
      lines.push(...literal(pending, "  "), `  if (body.${name} !== undefined) {`);
      lines.push(...literal(head, "    "), ...valueWriter(shapeOf(property), `body.${name}`, "    "), "  }");
      pending = "";
    });
    lines.push(...literal(`${pending}}`, "  "), "  return at;", "}");
    functions.set(title, lines.join("\n"));
    return title;
  }

  function valueWriter({ schema, isNullable }: Shape, value: string, indent: string): string[] {
    if (isNullable) {
      const inner = valueWriter({ schema, isNullable: false }, value, `${indent}  `);
      return [
        `${indent}if (${value} === null) {`,
        ...literal("null", `${indent}  `),
        `${indent}} else {`,
        ...inner,
        `${indent}}`,
      ];
    }
    if (schema.anyOf !== undefined) return unionWriter(schema, value, indent);
    switch (schema.type) {
      case "number":
      case "integer":
        return [`${indent}view.setFloat64(at, ${value}, true);`, `${indent}at = writeNumber(at);`];
      case "string":
        return [`${indent}at = writeString(${value}, at);`];
      case "boolean":
        return [
          `${indent}if (${value}) {`,
          ...literal("true", `${indent}  `),
          `${indent}} else {`,
          ...literal("false", `${indent}  `),
          `${indent}}`,
        ];
      case "array":
        return [
          ...literal("[", indent),
          `${indent}for (let i = 0; i < ${value}.length; i++) {`,
          `${indent}  at = withRoom(at);`,
          `${indent}  if (i > 0) {`,
          ...literal(",", `${indent}    `),
          `${indent}  }`,
          ...itemWriter(shapeOf(schema.items ?? {}), value, `${indent}  `),
          `${indent}}`,
          ...literal("]", indent),
        ];
      case "object":
        return [`${indent}at = write${objectWriter(schema)}(${value}, at);`];
      default:
        throw new Error(`cannot write ${value}`);
    }
  }

  function itemWriter(shape: Shape, array: string, indent: string): string[] {
    if (indexed[shape.schema.title ?? ""] === undefined) return valueWriter(shape, `${array}[i]!`, indent);
    return [`${indent}at = write${objectWriter(shape.schema)}(${array}.columns, i, at);`];
  }

  /** An object with an encoder or one without, told apart by a property that the other must have. */
  function unionWriter(schema: Schema, value: string, indent: string): string[] {
    const options = schema.anyOf!.map((option) => shapeOf(option).schema);
    const first = options.find((option) => encoded.has(titleOf(option)));
    const second = options.find((option) => !encoded.has(titleOf(option)));
    const mark = second?.required?.[0];
    if (first === undefined || mark === undefined)
      throw new Error(`cannot tell the options of ${value} apart`);
    return [
      `${indent}const item = ${value};`,
      `${indent}at = ${JSON.stringify(mark)} in item ? write${objectWriter(second!)}(item, at) : write${objectWriter(first)}(item, at);`,
    ];
  }
}

/** Words of eight bytes, as the doubles that they are; the last may reach beyond the text. */
function literal(text: string, indent: string): string[] {
  if (text === "") return [];
  const lines = [`${indent}// ${text}`];
  const padded = Buffer.alloc(Math.ceil(text.length / 8) * 8);
  padded.write(text, "latin1");
  for (let i = 0; i < text.length; i += 8) {
    lines.push(`${indent}view.setFloat64(at${i === 0 ? "" : ` + ${i}`}, ${padded.readDoubleLE(i)}, true);`);
  }
  return [...lines, `${indent}at += ${text.length};`];
}

function titleOf({ title }: Schema): string {
  if (title === undefined) throw new Error("an object without a title");
  return title;
}

function encoderOf(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1);
}
