import type { HttpRequest } from "uWebSockets.js";
import type { RequestError } from "../domain/errors.ts";

type UnsupportedMediaType = Extract<RequestError, { code: "unsupported_media_type" }>;
type InvalidField = Extract<RequestError, { code: "invalid_field" }>;

/** What must be read before the first callback returns: the request object dies with it. */
export interface RequestHead {
  /** Two such headers are one that lists both values (RFC 9110, 5.3), which is no key: proxies may have read either. */
  readonly authorization: string;
  readonly contentType: string;
  readonly contentEncoding: string;
  /** Of several such headers the first, which the library reads alone, then the others, each behind a comma. */
  readonly connection: string;
  readonly furtherConnection: string;
  /**
   * Why a proxy may have read another end of the body than the library, which takes the first of two lengths, none for an
   * empty one, and any coding for chunked. What follows may then be the body to one of them and a request to the other:
   * it must not be answered. Source: RFC 9112, 6.3
   */
  readonly unclearEnd: InvalidField | undefined;
  /** Undefined when the parameter is not valid percent-encoding. */
  readonly parameter: string | undefined;
}

export function readHead(request: HttpRequest, hasParameter: boolean): RequestHead {
  let authorization = "";
  let contentType = "";
  let contentEncoding = "";
  let connection: string | undefined;
  let furtherConnection = "";
  let lengths = 0;
  let codings = 0;
  request.forEach((name, value) => {
    if (name === "authorization") authorization = authorization === "" ? value : `${authorization}, ${value}`;
    else if (name === "content-type") contentType = value;
    else if (name === "content-length") lengths += value === "" ? 2 : 1;
    else if (name === "transfer-encoding") codings += CHUNKED.test(value) ? 1 : 2;
    else if (name === "content-encoding") contentEncoding = value;
    else if (name === "connection") {
      if (connection === undefined) connection = value;
      else furtherConnection += `,${value}`;
    }
  });
  return {
    authorization,
    contentType,
    contentEncoding,
    connection: connection ?? "",
    furtherConnection,
    unclearEnd: unclearEndOf(lengths, codings),
    parameter: hasParameter ? decoded(request.getParameter(0) ?? "") : "",
  };
}

const CHUNKED = /^chunked$/i;

/** Of how many headers; one that cannot be used counts as two. */
function unclearEndOf(lengths: number, codings: number): InvalidField | undefined {
  if (lengths > 1)
    return { code: "invalid_field", field: "Content-Length", expected: "one number, given once" };
  if (codings <= 1) return undefined;
  return { code: "invalid_field", field: "Transfer-Encoding", expected: "chunked, given once" };
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Why a body that comes with such a head is not read: bodies are JSON as it is written. */
export function unsupportedMediaType(head: RequestHead): UnsupportedMediaType | undefined {
  const { contentType, contentEncoding } = head;
  if (contentType !== "application/json" && !JSON_TYPE.test(contentType)) {
    return { code: "unsupported_media_type", header: "Content-Type", expected: "application/json" };
  }
  if (contentEncoding !== "" && contentEncoding.toLowerCase() !== "identity") {
    return { code: "unsupported_media_type", header: "Content-Encoding", expected: "identity or absent" };
  }
  return undefined;
}

/** What a request to a socket's path lacks that was not upgraded. Source: RFC 6455, 4.2.1. */
export function faultOfUpgrade(request: HttpRequest): InvalidField {
  return request.getHeader("upgrade").toLowerCase() === "websocket"
    ? { code: "invalid_field", field: "Sec-WebSocket-Key", expected: "16 bytes in base64" }
    : { code: "invalid_field", field: "Upgrade", expected: "websocket" };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
