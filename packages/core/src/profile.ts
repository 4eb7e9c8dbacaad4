import type { Metadata } from './discovery/server-metadata.ts'
import type { AuthorizationServerOptions, Demand, Profile } from './options.ts'

type Options = AuthorizationServerOptions<string>

/** The options with what their profile sets and brings. @throws Error that names the option and the section at fault */
export function underProfile(options: Options): Options {
  const { profile, features = [] } = options
  if (profile === undefined) return options
  requireAll(profile, profile.demands, options)
  const all = [...profile.features, ...features]
  return { ...options, ...leftOut(profile.sets, options), features: all }
}

/** The members of `sets` that the options do not have. */
function leftOut(sets: Partial<Options>, options: Options): Partial<Options> {
  const names = Object.keys(sets) as (keyof Options)[]
  return Object.fromEntries(
    names.filter((name) => options[name] === undefined).map((name) => [name, sets[name]]),
  )
}

/** The metadata: a feature of the operator may offer what the profile forbids. @throws Error that names member and section */
export function requirePublished(profile: Profile | undefined, metadata: Metadata): Metadata {
  if (profile !== undefined) requireAll(profile, profile.published, metadata)
  return metadata
}

function requireAll<Of>({ name }: Profile, demands: readonly Demand<Of>[], of: Of): void {
  for (const { section, subject, must, holds } of demands)
    if (!holds(of)) throw new Error(`${subject} must ${must} (${name} ${section})`)
}
