export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values), 0.5)
}

/** The quantile: the value that a share of all values does not exceed (nearest rank; the mean of two in the middle). */
export function quantile(values: Float64Array, share: number): number {
  const sorted = values.toSorted()
  const position = share * sorted.length
  const above = sorted[Math.min(Math.floor(position), sorted.length - 1)] ?? Number.NaN
  const between = share === 0.5 && sorted.length % 2 === 0
  return between ? (above + (sorted[position - 1] ?? above)) / 2 : above
}
