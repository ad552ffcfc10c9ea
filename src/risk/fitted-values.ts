// Written by `npm run calibrate`. Do not edit: a new calibration replaces the file whole.
import type { FittedConstants } from "./fitted-constants.ts";

/** Every constant that recorded data can speak for, with the data and the numbers behind it. */
export const FITTED: FittedConstants = {
  "fundingPersistence": {
    "value": 0.81,
    "unit": "autocorrelation per hour",
    "source": "mean of the own estimates over 17 coins of the exchange; the 24-hour forecast beats the last rate held",
    "fittedOn": "hourly settlements 2023-05 to 2025-07: mean error 3.8 bps a day, last rate 4.0, median rate 4.7",
    "evidence": {}
  },
  "fundingMeanHours": {
    "value": 720,
    "unit": "hours",
    "source": "chosen: 30 days",
    "fittedOn": "not fitted",
    "evidence": {}
  },
  "impactCoefficient": {
    "value": 1,
    "unit": "multiple of daily sigma at 100 % participation",
    "source": "Donier and Bonart (2015), A million metaorder analysis of market impact on the Bitcoin",
    "fittedOn": "not fitted here; published range 0.5 to 1.5",
    "evidence": {}
  },
  "regimeCutpoints": {
    "value": [
      2.4,
      4.5
    ],
    "unit": "log odds",
    "source": "where the ordered logit of the liquidity regime cuts between its states",
    "fittedOn": "not fitted: chosen so that an ordinary history is about 90 % normal, 8.5 % stressed, 1.5 % crisis",
    "evidence": {}
  },
  "pooledTouch": {
    "value": [
      [
        0.02,
        0.565
      ],
      [
        0.05,
        0.225
      ],
      [
        0.1,
        0.0565
      ],
      [
        0.15,
        0.0195
      ],
      [
        0.2,
        0.009
      ],
      [
        0.3,
        0.0028
      ]
    ],
    "unit": "fall as a fraction of the price, share of coin-days that touched it",
    "source": "24 h touch frequencies of 9 and 8 perpetuals on Binance, 00 UTC days",
    "fittedOn": "2020-07 to 2024-04 (11 013 coin-days) and 2024-04 to 2026-05 (6112), equal weights",
    "evidence": {}
  },
  "pooledDaySigma": {
    "value": 0.04,
    "unit": "fraction per day",
    "source": "reflection principle on the first two rows of POOLED_TOUCH",
    "fittedOn": "the same coin-days",
    "evidence": {}
  },
  "liquidationSigmas": {
    "value": {
      "at": [
        1,
        2,
        4,
        8
      ],
      "value": [
        1,
        0.7,
        0.4,
        0
      ]
    },
    "unit": "1-day sigmas",
    "source": "severity anchors 0 / 0.4 / 0.7 / 1 of the component: distance to the liquidation price",
    "fittedOn": "not fitted: chosen 2026-11, to be replaced when enough outcomes are recorded",
    "evidence": {}
  },
  "accountLoss": {
    "value": {
      "at": [
        0.05,
        0.2,
        0.45,
        0.9
      ],
      "value": [
        0,
        0.4,
        0.7,
        1
      ]
    },
    "unit": "fraction of equity",
    "source": "severity anchors 0 / 0.4 / 0.7 / 1 of the component: 99 % 24 h expected shortfall after the trade",
    "fittedOn": "not fitted: chosen 2026-11, to be replaced when enough outcomes are recorded",
    "evidence": {}
  },
  "adverseCurve": {
    "value": {
      "at": [
        0.0005,
        0.01,
        0.05,
        0.2,
        0.5,
        0.99
      ],
      "value": [
        0,
        25,
        40,
        70,
        90,
        100
      ]
    },
    "unit": "score points over probability, straight in log-odds",
    "source": "what a score means: P(liquidation or loss of half the margin within 24 h); 70 is one in five",
    "fittedOn": "not fitted: chosen 2026-11, to be replaced when enough outcomes are recorded",
    "evidence": {}
  },
  "rangeGarchPrior": {
    "value": {
      "centre": [
        3.3196412721306032,
        -1.1055327315126835,
        0.010000333353334763,
        0
      ],
      "spread": [
        1.07,
        0.46,
        0.2,
        0.5
      ]
    },
    "unit": "logit of P/0.9999, logit of α/P, artanh of g, log of V over the window's mean variance",
    "source": "medians and 5–95 % range of own fits to 183 Hyperliquid perpetuals, 4320 hourly bars each; spread = width of the 5–95 % range / 3.29, so ½(θ−θ₀)²/τ² is the cross-section's density",
    "fittedOn": "Hyperliquid hourly candles to 2025; V's spread of 0.5 is chosen",
    "evidence": {}
  },
  "residualMax": {
    "value": 15,
    "unit": "standard deviations of one hour",
    "source": "chosen: a single bad print must not set the 99.9 % VaR for half a year, a real wick must stay",
    "fittedOn": "not fitted",
    "evidence": {}
  },
  "excursionMax": {
    "value": 20,
    "unit": "standard deviations of one hour",
    "source": "chosen beside RESIDUAL_MAX, wider because a wick may exceed the close",
    "fittedOn": "not fitted",
    "evidence": {}
  }
};
