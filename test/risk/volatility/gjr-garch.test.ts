import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { coefficientsOf } from "../../../src/risk/volatility/garch-parameters.ts";
import { filterGjrGarch, fitGjrGarch, gjrGarchOf } from "../../../src/risk/volatility/gjr-garch.ts";
import { annualisedSigma, cumulativeVariance } from "../../../src/risk/volatility/term-structure.ts";
import { persistenceOf } from "../../../src/risk/volatility/variance-recursion.ts";
import { populationVariance, mean } from "../../../src/math/moments.ts";
import { gjrLogLikelihood } from "../../support/filtered-variances.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { loadColumn, forEachVector, vectorMismatches } from "../../support/vectors.ts";

type Input = {
  series_csv: string;
  column: string;
  model: string;
  params?: Record<string, number>;
};

describe("fitGjrGarch", () => {
  it("finds no fewer degrees of freedom than 2.5, be the tails without a variance", () => {
    const random = createRandom(6);
    const returns = Float64Array.from({ length: 600 }, () => Math.tan(Math.PI * (random.uniform() - 0.5)));

    const { nu } = fitGjrGarch(returns, {
      likelihood: "student-t",
      isAsymmetric: false,
      prior: null,
      evaluationsMax: 2000,
    });

    expect(nu).toBeGreaterThanOrEqual(2.5);
    expect(nu).toBeLessThan(2.6);
  });

  it("believes a prior that is sure, whatever the returns", () => {
    const random = createRandom(4);
    const returns = Float64Array.from({ length: 400 }, () => random.normal());
    const prior = { centre: [2, -1, 0.2, 0.3], spread: [1e-3, 1e-3, 1e-3, 1e-3] } as const;

    const { recursion } = fitGjrGarch(returns, {
      likelihood: "gaussian",
      isAsymmetric: true,
      prior,
      evaluationsMax: 4000,
    });

    const variance = returns.reduce((sum, r) => sum + r * r, 0) / 400;
    const expected = gjrGarchOf(coefficientsOf(Float64Array.from(prior.centre)));
    expect(recursion.omega / (expected.omega * variance)).toBeCloseTo(1, 2);
    expect(recursion.alpha / expected.alpha).toBeCloseTo(1, 2);
    expect(recursion.gamma / expected.gamma).toBeCloseTo(1, 2);
    expect(recursion.beta / expected.beta).toBeCloseTo(1, 2);
  });
});

describe.skipIf(!hasVectors)("GJR-GARCH against rugarch", () => {
  forEachVector("garch_fit", (vector) => {
    const input = vector.input as Input;
    const params = vector.expected["params"] as Record<string, number>;
    // The service fits no drift; a reference that did is met on the same residuals, where its other parameters are best.
    const mu = params["mu"] ?? 0;
    const returns = loadColumn(input.series_csv, input.column).map((r) => r - mu);
    const fit = fitGjrGarch(returns, {
      likelihood: input.model.endsWith("-t") ? "student-t" : "gaussian",
      isAsymmetric: input.model.startsWith("gjr"),
      prior: null,
      evaluationsMax: 4000,
    });
    const next = filterGjrGarch(fit.recursion, returns).at(-1) ?? Number.NaN;
    const { omega, alpha, gamma, beta } = fit.recursion;
    const persistence = persistenceOf(fit.recursion);
    const longRun = omega / (1 - persistence);
    const cumulative = (h: number): number => cumulativeVariance(next, omega, persistence, h);
    const steps = (vector.expected["h_forecast_steps"] ?? []) as number[];
    // Published as null where the fit is integrated: ours must be, too.
    const orNull = (field: string, value: unknown): unknown =>
      vector.expected[field] === null && persistence > 0.999 ? null : value;
    expect(
      vectorMismatches(vector, {
        params: { mu, omega, alpha, gamma, beta, nu: fit.nu ?? undefined },
        loglik: gjrLogLikelihood(fit.recursion, returns, fit.nu),
        persistence,
        long_run_variance: orNull("long_run_variance", longRun),
        h_forecast: orNull(
          "h_forecast",
          steps.map((k) => cumulative(k) - cumulative(k - 1)),
        ),
        cumvar: orNull("cumvar", {
          h1: cumulative(1),
          h4: cumulative(4),
          h24: cumulative(24),
          h168: cumulative(168),
        }),
        annualised: orNull("annualised", {
          sigma_1h: annualisedSigma(cumulative(1), 1),
          sigma_4h: annualisedSigma(cumulative(4), 4),
          sigma_1d: annualisedSigma(cumulative(24), 24),
          sigma_7d: annualisedSigma(cumulative(168), 168),
          long_run_sigma: annualisedSigma(longRun, 1),
        }),
      }),
    ).toEqual([]);
    // The first of the forecasts, with the tolerance stated for them where they are published.
    expect(vectorMismatches(vector, { h_next: next }, { h_next: { rel: 0.02, abs: 0 } })).toEqual([]);
  });

  forEachVector("garch_filter_loglik", (vector) => {
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
});
