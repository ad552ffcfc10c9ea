/** Semantic version of the risk engine: a changed number is minor, a changed contract major. */
export const ENGINE_VERSION = "0.1.0";
