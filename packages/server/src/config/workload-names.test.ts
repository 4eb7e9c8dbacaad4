import { expect, it } from 'vitest'
import { parseConfig } from './config.ts'
import { workloadWarnings } from './workload-names.ts'

/** Warnings about rules for workloads. */

const GITHUB = 'https://token.actions.githubusercontent.com'

function warningsOf(issuer: string, claims: Record<string, string>): readonly string[] {
  const rule = { issuer, claims, client: 'deployment', scopes: ['notes:write'] }
  const config = { features: { jwtBearer: { workloads: [rule] } } }
  return workloadWarnings(parseConfig({ config, environment: { NODE_ENV: 'test' } }))
}

it.each([
  [GITHUB, { sub: 'repo:acme/notes:ref:refs/heads/main' }, 'repository_id'],
  [GITHUB, { sub: 'repo:acme/notes:*', environment: 'production' }, 'repository_id'],
  ['https://gitlab.com', { sub: 'project_path:acme/notes:*' }, 'project_id'],
])('warns of a rule for %s with %j, whose name can be taken by somebody else', (issuer, claims, id) => {
  expect(warningsOf(issuer, claims)).toEqual([
    expect.stringContaining(`deployment names its owner by a name`),
  ])
  expect(warningsOf(issuer, claims)[0]).toContain(id)
})

it.each([
  [GITHUB, { repository_id: '74', repository_owner_id: '65' }],
  [GITHUB, { sub: 'repo:acme@65/notes@74:ref:refs/heads/main' }],
  ['https://gitlab.example', { sub: 'project_path:acme/notes:*' }],
])('does not warn of a rule for %s with %j', (issuer, claims) => {
  expect(warningsOf(issuer, claims)).toEqual([])
})
