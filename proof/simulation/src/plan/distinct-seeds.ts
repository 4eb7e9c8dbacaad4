import type { AppPlan } from './plan.ts'

/**
 * The seed of each app, made different where a plan repeats one: apps that draw the same verifier would be one app to the
 * server, and get one code.
 */
export function distinctSeeds(apps: readonly Pick<AppPlan, 'seed'>[]): number[] {
  const taken = new Set<number>()
  for (const { seed } of apps) {
    let free = seed
    while (taken.has(free)) free++
    taken.add(free)
  }
  return [...taken]
}
