import { describe, expect, it } from "vitest";
import { filterGjrGarch, fitGjrGarch, gjrLogLikelihood } from "../../../src/risk/volatility/gjr-garch.ts";
import { annualisedSigma, cumulativeVariance } from "../../../src/risk/volatility/term-structure.ts";
import { persistenceOf } from "../../../src/risk/volatility/variance-recursion.ts";
import { populationVariance, mean } from "../../../src/math/moments.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { loadColumn, vectorCases, vectorMismatches } from "../../support/vectors.ts";

type Input = {
  series_csv: string;
  column: string;
  model: string;
  mean?: string;
  params?: Record<string, number>;
};

describe.skipIf(!hasVectors)("GJR-GARCH against rugarch", () => {
  for (const vector of vectorCases("garch", "garch_fit")) {
    it(vector.id, () => {
      const input = vector.input as Input;
      const fit = fitGjrGarch(loadColumn(input.series_csv, input.column), {
        likelihood: input.model.endsWith("-t") ? "student-t" : "gaussian",
        isAsymmetric: input.model.startsWith("gjr"),
        hasMean: input.mean !== "zero",
        prior: null,
        evaluationsMax: 4000,
      });
      const returns = loadColumn(input.series_csv, input.column).map((r) => r - fit.mean);
      const next = filterGjrGarch(fit.recursion, returns).at(-1) ?? Number.NaN;
      const { omega, alpha, gamma, beta } = fit.recursion;
      const persistence = persistenceOf(fit.recursion);
      const longRun = omega / (1 - persistence);
      const cumulative = (h: number): number => cumulativeVariance(next, omega, persistence, h);
      const steps = (vector.expected["h_forecast_steps"] ?? []) as number[];
      const actual: Record<string, unknown> = {
        params: { mu: fit.mean, omega, alpha, gamma, beta, nu: fit.nu ?? undefined },
        loglik: fit.logLikelihood,
        persistence,
        long_run_variance: longRun,
        h_forecast: steps.map((k) => cumulative(k) - cumulative(k - 1)),
        cumvar: { h1: cumulative(1), h4: cumulative(4), h24: cumulative(24), h168: cumulative(168) },
        annualised: {
          sigma_1h: annualisedSigma(cumulative(1), 1),
          sigma_4h: annualisedSigma(cumulative(4), 4),
          sigma_1d: annualisedSigma(cumulative(24), 24),
          sigma_7d: annualisedSigma(cumulative(168), 168),
          long_run_sigma: annualisedSigma(longRun, 1),
        },
      };
      const published = Object.keys(actual).filter((field) => vector.expected[field] !== undefined);
      expect(vectorMismatches(vector, Object.fromEntries(published.map((f) => [f, actual[f]])))).toEqual([]);
      expect(published).toContain("persistence");
    });
  }

  for (const vector of vectorCases("garch", "garch_filter_loglik")) {
    it(vector.id, () => {
      const input = vector.input as Input;
      const { mu = 0, omega = 0, alpha = 0, gamma = 0, beta = 0, nu } = input.params ?? {};
      const returns = loadColumn(input.series_csv, input.column).map((r) => r - mu);
      const recursion = { kind: "gjr-garch", omega, alpha, gamma, beta } as const;
      const h = filterGjrGarch(recursion, returns);
      const z = returns.map((r, t) => r / Math.sqrt(h[t] ?? Number.NaN));
      const persistence = persistenceOf(recursion);
      const next = h.at(-1) ?? Number.NaN;
      const cumulative = (k: number): number => cumulativeVariance(next, omega, persistence, k);
      const week = Array.from({ length: 168 }, (_, k) => k + 1);
      const rows = vector.expected["h_index_1based"] as number[];
      expect(
        vectorMismatches(vector, {
          h: rows.map((row) => h[row - 1]),
          loglik: gjrLogLikelihood(recursion, returns, nu ?? null),
          z_mean: mean(z),
          z_sd_pop: Math.sqrt(populationVariance(z)),
          h_forecast_1_to_168: week.map((k) => cumulative(k) - cumulative(k - 1)),
          cumvar_1_to_168: week.map(cumulative),
        }),
      ).toEqual([]);
    });
  }
});
