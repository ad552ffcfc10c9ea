export type VolatilityModelKind = "range-garch" | "gjr-garch" | "ewma" | "pooled";

export type VolatilityWarning = "limited_history";
