import { defineConfig } from "eslint/config";
import rxjs from "eslint-plugin-rxjs-x";
import tseslint from "typescript-eslint";

const PURE_FOLDERS = ["src/risk/**/*.ts", "src/math/**/*.ts", "src/response/**/*.ts", "src/handlers/**/*.ts"];
const NO_DEFAULT_EXPORT = {
  selector: "ExportDefaultDeclaration",
  message: "Named exports only: one name per thing, everywhere.",
};
const noMember = (object, property, why) => ({ object, property, message: why });

export default defineConfig(
  { ignores: ["dist/**", "node_modules/**", "src/**/generated/**", "coverage/**"] },
  ...tseslint.configs.strictTypeChecked,
  {
    ...rxjs.configs.recommended,
    files: ["src/**/*.ts"],
  },
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js"] } } },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Typed arrays are read with an index that the loop bounds; ! says so once instead of a dead branch.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unnecessary-condition": ["error", { allowConstantLoopConditions: true }],
      eqeqeq: "error",
      "no-restricted-syntax": ["error", NO_DEFAULT_EXPORT],
    },
  },
  {
    files: PURE_FOLDERS,
    rules: {
      "no-restricted-globals": [
        "error",
        { name: "process", message: "Only config.ts reads the environment." },
        { name: "setTimeout", message: "The pure core has no clock." },
        { name: "setInterval", message: "The pure core has no clock." },
        { name: "performance", message: "The pure core has no clock." },
        { name: "fetch", message: "The pure core has no I/O." },
      ],
      "no-restricted-properties": [
        "error",
        noMember("Date", "now", "The pure core has no clock; pass the time in."),
        noMember("Math", "random", "The pure core has no randomness; pass it in."),
      ],
    },
  },
  {
    files: ["src/risk/**/*.ts", "src/math/**/*.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        NO_DEFAULT_EXPORT,
        { selector: "AwaitExpression", message: "risk/ and math/ never await." },
        {
          selector: "ThrowStatement",
          message: "Expected failures are values; broken claims go through invariant().",
        },
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: "The pure core has no clock.",
        },
      ],
    },
  },
  { files: ["src/math/invariant.ts"], rules: { "no-restricted-syntax": "off" } },
  {
    files: ["test/**/*.ts", "scripts/**/*.ts", "eslint.config.js"],
    rules: {
      "no-restricted-syntax": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/explicit-module-boundary-types": "off",
      "@typescript-eslint/no-floating-promises": "error",
    },
  },
);
