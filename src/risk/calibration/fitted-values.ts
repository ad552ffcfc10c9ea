// Written by `npm run calibrate`. Do not edit: a new calibration replaces the file whole.
import type { FittedConstants } from "./fitted-constants.ts";

/** Every constant that recorded data can speak for, with the data and the numbers behind it. */
export const FITTED: FittedConstants = {
  "fundingPersistence": {
    "value": 0.91,
    "unit": "autocorrelation per hour",
    "source": "least mean absolute error of the next 24 hours' funding, one persistence and window for all coins",
    "fittedOn": "2026-11-20: hourly settlements of 17 coins, 10470 days; chosen on the first half of each; errs less by 0.539 ± 0.056 bps a day on the later half",
    "evidence": {
      "windowsHours": [ 8, 12, 24, 48, 72, 168, 336, 720 ],
      "bestPersistences": [ 0.9, 0.88, 0.91, 0.91, 0.92, 0.94, 0.95, 0.96 ],
      "errorsFirstHalfBps": [ 4.54099, 4.32823, 4.22242, 4.26148, 4.28724, 4.44482, 4.57081, 4.76945 ],
      "errorsSecondHalfBps": [ 2.1366, 2.08304, 1.99162, 1.98142, 1.98648, 2.00123, 2.03303, 2.10758 ],
      "errorInForceBps": 2.53099,
      "errorOwnPersistenceBps": 2.39441,
      "errorLastRateBps": 2.48001,
      "errorMedianRateBps": 2.93633,
      "halfLifeHours": 7.34961
    }
  },
  "fundingMeanHours": {
    "value": 24,
    "unit": "hours",
    "source": "least mean absolute error of the next 24 hours' funding, one persistence and window for all coins",
    "fittedOn": "2026-11-20: hourly settlements of 17 coins, 10470 days; chosen on the first half of each; errs less by 0.539 ± 0.056 bps a day on the later half",
    "evidence": {
      "windowsHours": [ 8, 12, 24, 48, 72, 168, 336, 720 ],
      "bestPersistences": [ 0.9, 0.88, 0.91, 0.91, 0.92, 0.94, 0.95, 0.96 ],
      "errorsFirstHalfBps": [ 4.54099, 4.32823, 4.22242, 4.26148, 4.28724, 4.44482, 4.57081, 4.76945 ],
      "errorsSecondHalfBps": [ 2.1366, 2.08304, 1.99162, 1.98142, 1.98648, 2.00123, 2.03303, 2.10758 ],
      "errorInForceBps": 2.53099,
      "errorOwnPersistenceBps": 2.39441,
      "errorLastRateBps": 2.48001,
      "errorMedianRateBps": 2.93633,
      "halfLifeHours": 7.34961
    }
  },
  "impactCoefficient": {
    "value": 1,
    "unit": "multiple of daily sigma at 100 % participation",
    "source": "Donier and Bonart (2015), A million metaorder analysis of market impact on the Bitcoin",
    "fittedOn": "not fitted here, chosen 2026-11; published range 0.5 to 1.5",
    "evidence": {
      "answerTo1OrderAfterSeconds": [ 1, 10, 60 ],
      "answerTo1OrderAfterSecondsSlopes": [ 0.211687, 0.301364, 0.395015 ],
      "answerTo1OrderAfterSecondsStandardErrors": [ 0.0315387, 0.0953149, 0.217763 ],
      "netFlowOverSeconds": [ 10, 60, 180 ],
      "netFlowOverSecondsSlopes": [ 0.428326, 0.451056, 0.310314 ],
      "netFlowOverSecondsStandardErrors": [ 0.0840859, 0.16876, 0.254102 ],
      "orders": 8238,
      "exponentOfOrderSize": 0.249373,
      "judgedOn": "2026-11-20: trades and books of BTC, ETH, SOL, WLFI, 35 minutes each",
      "kept": "35 minutes show no metaorder; the slope of one-minute flow, 0.45 ± 0.17, does not contradict the published 0.5 to 1.5"
    }
  },
  "regimeCutpoints": {
    "value": [ 3.28, 6.28 ],
    "unit": "log odds",
    "source": "cuts of the ordered logit at which recorded hours are 90 % normal, 8.5 % stressed and 1.5 % crisis, crisis more often where a recorded crash would be recognised after two hours",
    "fittedOn": "2026-11-26: 488413 asset-hours of BTC, ETH, XRP, LINK, DOGE, SOL, AVAX, AAVE, ARB, NEAR, UNI, WIF, kPEPE, PURR, HYPE, FARTCOIN, TRUMP, VINE; known in them: volatility 488413, market-wide volatility 488413, funding 229492, spread 3246, depth 3246, open interest 0; cut points of the first half miss the second half's shares by less, 71 % against 82 % of the wanted share, with 0 of 5 crisis dates late, before 0",
    "evidence": {
      "cutpointsOfFirstHalf": [ 3.22, 6.33 ],
      "secondHalfSharesInForce": [ 0.895731, 0.0770034, 0.0272659 ],
      "secondHalfSharesOfFirstHalf": [ 0.892712, 0.0816696, 0.0256183 ],
      "secondHalfCrisisDelayHoursOfFirstHalf": "2020-03-12: not recorded, 2021-05-19: not recorded, 2022-11-08: not recorded, 2024-08-05: 0 h, 2025-10-10: 1 h, 2026-02-05: not recorded",
      "inForceShares": [ 0.899223, 0.0750494, 0.0257272 ],
      "inForceSharesWithBook": [ 0.896776, 0.0737756, 0.0294482 ],
      "inForceCrisisDelayHours": "2020-03-12: 1 h, 2021-05-19: 1 h, 2022-11-08: 2 h, 2024-08-05: 0 h, 2025-10-10: 1 h, 2026-02-05: not recorded",
      "fittedShares": [ 0.900073, 0.074632, 0.0252954 ],
      "fittedSharesWithBook": [ 0.897086, 0.0740856, 0.0288283 ],
      "fittedCrisisDelayHours": "2020-03-12: 1 h, 2021-05-19: 1 h, 2022-11-08: 2 h, 2024-08-05: 0 h, 2025-10-10: 1 h, 2026-02-05: not recorded"
    }
  },
  "pooledTouch": {
    "value": [
      [ 0.02, 0.565 ],
      [ 0.05, 0.225 ],
      [ 0.1, 0.0565 ],
      [ 0.15, 0.0195 ],
      [ 0.2, 0.009 ],
      [ 0.3, 0.0028 ]
    ],
    "unit": "fall as a fraction of the price, share of coin-days that touched it",
    "source": "24 h touch frequencies of 9 and 8 perpetuals on Binance, 00 UTC days",
    "fittedOn": "2020-07 to 2024-04 (11 013 coin-days) and 2024-04 to 2026-05 (6112), equal weights",
    "evidence": {
      "coinDays": 19353,
      "days": 2760,
      "shares": [ 0.603834, 0.267452, 0.0795226, 0.0282127, 0.0122462, 0.00294528 ],
      "standardErrors": [ 0.00760059, 0.00722202, 0.00419123, 0.00247784, 0.0016471, 0.000640619 ],
      "sharesFirstHalf": [ 0.624793, 0.281224, 0.0881927, 0.0315343, 0.0140612, 0.004756 ],
      "sharesSecondHalf": [ 0.582894, 0.253693, 0.0708604, 0.0248941, 0.0104328, 0.00113625 ],
      "inForce": [ 0.565, 0.225, 0.0565, 0.0195, 0.009, 0.0028 ],
      "judgedOn": "2026-11-20: hourly candles of 18 coins, 2018-01-02 to 2025-07-25, 00 UTC days",
      "kept": "log loss gain on the second half of the days -0.00470 ± 0.01024"
    }
  },
  "pooledDaySigma": {
    "value": 0.04,
    "unit": "fraction per day",
    "source": "reflection principle on the first two rows of POOLED_TOUCH",
    "fittedOn": "2020-07 to 2024-04 (11 013 coin-days) and 2024-04 to 2026-05 (6112), equal weights",
    "evidence": {
      "sigmas": [ 0.0389341, 0.046254 ],
      "judgedOn": "2026-11-20: hourly candles of 18 coins, 2018-01-02 to 2025-07-25, 00 UTC days",
      "kept": "the table in force stays, and this with it"
    }
  },
  "liquidationSigmas": {
    "value": {
      "at": [ 1.11, 2.02, 3.47, 6.71 ],
      "value": [ 1, 0.7, 0.4, 0 ]
    },
    "unit": "1-day sigmas of the logarithmic distance",
    "source": "logarithmic distances in day sigmas that were touched in 20, 5, 1 and 0.1 % of days, as the liquidation probability's anchors",
    "fittedOn": "2026-11-20: simple distances in hourly candles of 18 coins, 2018-01-02 to 2025-07-25; with the first half's anchors the probability that a score stands for predicts the second half better: log loss gain 0.00070 ± 0.00032",
    "evidence": {
      "excursions": 46428,
      "probabilities": [ 0.001, 0.01, 0.05, 0.2 ],
      "touchedAtInForce": [ 0.199729, 0.0499052, 0.0098432, 0.000990781 ],
      "ofFirstHalf": [ 1.11, 2.02, 3.52, 7.37 ],
      "secondHalfInForceCounts": [ 6923, 2949, 7948 ],
      "secondHalfInForceObserved": [ 0.0072223, 0.0922347, 0.552843 ],
      "secondHalfInForcePublished": [ 0.0105269, 0.106365, 0.564407 ],
      "secondHalfOfFirstHalfCounts": [ 6851, 3021, 7948 ],
      "secondHalfOfFirstHalfObserved": [ 0.00686031, 0.0910295, 0.552843 ],
      "secondHalfOfFirstHalfPublished": [ 0.0108878, 0.105493, 0.564407 ],
      "judgedOn": "2026-11-26: hourly candles of 18 coins, 2018-01-02 to 2025-07-25",
      "kept": "with the first half's anchors the probability that a score stands for does not predict the second half clearly better: log loss gain -0.00004 ± 0.00011"
    }
  },
  "accountLoss": {
    "value": {
      "at": [ 0.05, 0.2, 0.45, 0.9 ],
      "value": [ 0, 0.4, 0.7, 1 ]
    },
    "unit": "fraction of equity",
    "source": "severity anchors 0 / 0.4 / 0.7 / 1 of the component: 99 % 24 h expected shortfall after the trade",
    "fittedOn": "not fitted: chosen 2026-11, to be replaced when enough outcomes are recorded",
    "evidence": {
      "excursions": 5918,
      "probabilities": [ 0.001, 0.01, 0.05, 0.2 ],
      "lostAtInForce": [ 0, 0.000168976, 0.0042244, 0.0540723 ],
      "ofFirstHalf": [ 0.27, 0.53, 0.83, 1.5 ],
      "secondHalfInForceCounts": [ 6430, 3401, 7989 ],
      "secondHalfInForceObserved": [ 0.00637636, 0.0811526, 0.550632 ],
      "secondHalfInForcePublished": [ 0.0105571, 0.10273, 0.563454 ],
      "secondHalfOfFirstHalfCounts": [ 7256, 2584, 7980 ],
      "secondHalfOfFirstHalfObserved": [ 0.00909592, 0.0971362, 0.551253 ],
      "secondHalfOfFirstHalfPublished": [ 0.0104172, 0.111589, 0.563803 ],
      "judgedOn": "2026-11-20: hourly candles of 18 coins, 2018-01-02 to 2025-07-25",
      "kept": "it weighs the size of a bad day, not how often ruin comes; with the first half's anchors the probability that a score stands for predicts the second half better: log loss gain 0.00121 ± 0.00048"
    }
  },
  "adverseCurve": {
    "value": {
      "at": [ 0.0005, 0.01, 0.05, 0.2, 0.5, 0.99 ],
      "value": [ 0, 25, 40, 70, 90, 100 ]
    },
    "unit": "score points over probability, straight in log-odds",
    "source": "what a score means: P(liquidation or loss of half the margin within 24 h); 70 is one in five",
    "fittedOn": "not fitted: chosen 2026-11, to be replaced when enough outcomes are recorded",
    "evidence": {
      "intercept": -0.0939288,
      "slope": 0.982723,
      "counts": [ 1577, 3296, 2479, 2505, 3052, 4911 ],
      "forecasts": [ 0.000478874, 0.00400938, 0.0260311, 0.111788, 0.343735, 0.701603 ],
      "observed": [ 0, 0.00424757, 0.0221864, 0.0994012, 0.326671, 0.692527 ],
      "judgedOn": "2026-11-20: hourly candles of 18 coins, 2018-01-02 to 2025-07-25",
      "kept": "the curve is what points mean; recalibrated probabilities are not clearly better: log loss gain on the second half 0.00012 ± 0.00053"
    }
  },
  "rangeGarchPrior": {
    "value": {
      "centre": [ 3.3196412721306032, -1.1055327315126835, 0.010000333353334763, 0 ],
      "spread": [ 1.07, 0.46, 0.2, 0.5 ]
    },
    "unit": "logit of P/0.9999, logit of α/P, artanh of g, log of V over the window's mean variance",
    "source": "medians and 5–95 % range of own fits to 183 Hyperliquid perpetuals, 4320 hourly bars each; spread = width of the 5–95 % range / 3.29, so ½(θ−θ₀)²/τ² is the cross-section's density",
    "fittedOn": "Hyperliquid hourly candles to 2025; V's spread of 0.5 is chosen 2026-11",
    "evidence": {
      "reactionMedian": 0.250852,
      "persistenceMedian": 0.981355,
      "asymmetryMedian": 0.117569,
      "centre": [ 3.96871, -1.06887, 0.118115, 0 ],
      "spread": [ 2.78925, 0.295153, 0.126151, 0.5 ],
      "distancesInSpreads": [ 0.60661, 0.0797058, 0.540574 ],
      "judgedOn": "2026-11-20: hourly candles of 18 coins, 2018-01-02 to 2025-07-25; the last half year of each",
      "kept": "25 coins against 183 of the survey; medians lie 0.61, 0.08, 0.54 of its spreads away"
    }
  },
  "residualMax": {
    "value": 15,
    "unit": "standard deviations of one hour",
    "source": "chosen: a single bad print must not set the 99.9 % VaR for half a year, a real wick must stay",
    "fittedOn": "not fitted: chosen 2026-11",
    "evidence": {
      "assetHours": 486373,
      "beyondCap": 66,
      "confirmedBeyondCap": 36,
      "largest": 43.3503,
      "largestConfirmed": 42.9233,
      "judgedOn": "2026-11-20: hourly candles of 18 coins, 2018-01-02 to 2025-07-25",
      "kept": "it cuts 36 of 486373 hours that another coin confirms; a wider cap is for the backtest to judge"
    }
  },
  "excursionMax": {
    "value": 20,
    "unit": "standard deviations of one hour",
    "source": "chosen beside RESIDUAL_MAX, wider because a wick may exceed the close",
    "fittedOn": "not fitted: chosen 2026-11",
    "evidence": {
      "assetHours": 486373,
      "beyondCap": 48,
      "confirmedBeyondCap": 29,
      "largest": 404.613,
      "largestConfirmed": 404.613,
      "judgedOn": "2026-11-20: hourly candles of 18 coins, 2018-01-02 to 2025-07-25",
      "kept": "it cuts 29 of 486373 hours that another coin confirms; a wider cap is for the backtest to judge"
    }
  }
};
