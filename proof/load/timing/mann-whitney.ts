export interface Verdict {
  /** Two-sided: the probability that two samples of one distribution differ this much. */
  readonly p: number
  /** Cliff's delta, -1 to 1: how much more often a value of the first sample is larger. 0 means no difference. */
  readonly delta: number
}

/**
 * The Mann-Whitney U test with tied ranks, in its normal approximation, for twenty values per sample or more. It
 * assumes no distribution, and an outlier counts as one rank.
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): Verdict {
  const [m, n] = [first.length, second.length]
  const { rankSum, ties } = ranks(first, second)
  const u = rankSum - (m * (m + 1)) / 2
  const total = m + n
  const variance = ((m * n) / 12) * (total + 1 - ties / (total * (total - 1)))
  const z = variance === 0 ? 0 : (u - (m * n) / 2) / Math.sqrt(variance)
  return { p: twoSided(z), delta: (2 * u) / (m * n) - 1 }
}

/** The rank sum of the first sample among all values; equal values share their mean rank. */
function ranks(first: readonly number[], second: readonly number[]): { rankSum: number; ties: number } {
  const all = [...first.map((value) => ({ value, own: 1 })), ...second.map((value) => ({ value, own: 0 }))]
  all.sort((left, right) => left.value - right.value)
  let [rankSum, ties] = [0, 0]
  for (let start = 0, end = 0; start < all.length; start = end) {
    let own = 0
    while (end < all.length && all[end]?.value === all[start]?.value) own += all[end++]?.own ?? 0
    const size = end - start
    rankSum += (own * (start + 1 + end)) / 2
    ties += size ** 3 - size
  }
  return { rankSum, ties }
}

/** 2 (1 - Phi(|z|)), by Abramowitz and Stegun 7.1.26: exact to 1.5e-7. */
function twoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const series =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
  return series * Math.exp(-x * x)
}
