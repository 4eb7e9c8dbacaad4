import type { Config } from './config.ts'

/** The ids of the platforms that anybody can use, next to names that can be given up and taken by somebody else. */
const IDS: Readonly<Record<string, string>> = {
  'https://token.actions.githubusercontent.com': 'repository_id',
  'https://gitlab.com': 'project_id',
}
/** A subject of GitHub Actions with ids, such as `repo:acme@65/notes@74:ref:refs/heads/main`. */
const WITH_IDS = /^repo:[^/@]+@\d+\/[^:@]+@\d+:/

/** What an operator should know of the rules for workloads: those that name an owner by a name alone. */
export function workloadWarnings({ features }: Pick<Config, 'features'>): readonly string[] {
  return features.jwtBearer.workloads.flatMap(({ issuer = '', client, claims }) => {
    const id = Object.hasOwn(IDS, issuer) ? IDS[issuer] : undefined
    if (id === undefined || namesById(claims)) return []
    return [
      `features.jwtBearer.workloads: the rule of ${client} names its owner by a name, which somebody else can get one day. Add ${id} to its claims`,
    ]
  })
}

function namesById(claims: Readonly<Record<string, string | readonly string[]>>): boolean {
  const subjects = [claims.sub ?? []].flat()
  const byId = Object.keys(claims).some((name) => name.endsWith('_id'))
  return byId || (subjects.length > 0 && subjects.every((subject) => WITH_IDS.test(subject)))
}
