import { statSync } from "node:fs";
import { recordingFiles } from "../recording/recording-reader.ts";
import { isRecordedFolder, openRecordedFolder } from "./recorded-folder.ts";
import { openRecording } from "./recording-source.ts";
import type { ReplaySource } from "./replay-source.ts";

/** Opens what a directory holds: a recording of ours or a folder of recorded market data; undefined when neither. */
export async function openReplay(directory: string): Promise<ReplaySource | undefined> {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  if (recordingFiles(directory).length > 0) return openRecording(directory);
  return isRecordedFolder(directory) ? openRecordedFolder(directory) : undefined;
}
