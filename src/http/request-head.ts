import type { HttpRequest } from "uWebSockets.js";

/** What must be read before the first callback returns: the request object dies with it. */
export interface RequestHead {
  readonly authorization: string;
  readonly contentType: string;
  /** Two Content-Length headers: the request is refused, since proxies may have read the other one. */
  readonly hasTwoLengths: boolean;
  /** Undefined when the parameter is not valid percent-encoding. */
  readonly parameter: string | undefined;
}

export function readHead(request: HttpRequest, hasParameter: boolean): RequestHead {
  let authorization = "";
  let contentType = "";
  let lengths = 0;
  request.forEach((name, value) => {
    if (name === "authorization") authorization = value;
    else if (name === "content-type") contentType = value;
    else if (name === "content-length") lengths += 1;
  });
  return {
    authorization,
    contentType,
    hasTwoLengths: lengths > 1,
    parameter: hasParameter ? decoded(request.getParameter(0) ?? "") : "",
  };
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;

export function isJsonType(contentType: string): boolean {
  return contentType === "application/json" || JSON_TYPE.test(contentType);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
