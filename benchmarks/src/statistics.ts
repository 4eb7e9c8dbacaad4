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

/** How far the middle half of the values lies apart, as a share of their median: single outliers do not count. */
export function spread(values: readonly number[]): number {
  const sorted = Float64Array.from(values)
  return (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median(values)
}

/** Each value divided by its neighbour of the same round. */
export function ratios(values: readonly number[], neighbours: readonly number[]): number[] {
  return values.map((value, round) => value / (neighbours[round] ?? Number.NaN))
}
