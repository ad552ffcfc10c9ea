declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** An asset's name exactly as the exchange lists it; case matters ("kPEPE"). */
export type Ticker = Branded<string, "Ticker">;
/** A lower-case Ethereum address, "0x" and 40 hexadecimal digits. */
export type WalletAddress = Branded<string, "WalletAddress">;
/** SHA-256 (hex) of the calibration constants in force. */
export type CalibrationHash = Branded<string, "CalibrationHash">;

const WALLET_PATTERN = /^0x[0-9a-fA-F]{40}$/;

/** Trusts that the text came from the exchange's universe. */
export function tickerOf(listedName: string): Ticker {
  return listedName as Ticker;
}

/** The address in lower case, or undefined when the text is not 42 characters of 0x-prefixed hexadecimal. */
export function walletAddressOf(text: string): WalletAddress | undefined {
  return WALLET_PATTERN.test(text) ? checkedWalletAddress(text) : undefined;
}

/** The address in lower case. Trusts that the text was found to be one, by a schema. */
export function checkedWalletAddress(text: string): WalletAddress {
  return text.toLowerCase() as WalletAddress;
}
