/**
 * What V8 may take for the youngest objects of a thread that nobody waits for, instead of the 48 MB that such a thread
 * fills between collections whether or not it has use for them. Arrays outside the heap go with the young objects that
 * own them, so these are given back sooner as well. Of the processor time it costs fits and draws nothing measurable (a
 * limit of 6 MB costs fits an eighth) and the engine a twentieth of its few percent of a core.
 */
export const BACKGROUND_MEMORY = { maxYoungGenerationSizeMb: 12 } as const;
