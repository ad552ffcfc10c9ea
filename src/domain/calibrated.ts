/**
 * A chosen or fitted constant with its evidence. The calibration hash is taken over these objects, so a changed
 * constant cannot keep the old hash.
 */
export interface Calibrated<T = number> {
  readonly value: T;
  /** "fraction", "USD", "hours", "fraction per sqrt year", … */
  readonly unit: string;
  /** Author, title, year, section; or the measurement that gave it. */
  readonly source: string;
  /** Date and data of the fit, or why it is not fitted and when it was chosen. */
  readonly fittedOn: string;
}
