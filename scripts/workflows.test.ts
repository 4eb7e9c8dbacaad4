import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from './packages/publishable.ts'

interface Step {
  uses?: string
  run?: string
}

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, { needs?: string | string[]; permissions?: Record<string, string>; steps?: Step[] }>
}

const FILES = globSync('.github/{workflows,actions/*}/*.yml', { cwd: ROOT }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}))
const WORKFLOWS = FILES.filter(({ path }) => path.includes('workflows')).map(({ path, text }) => ({
  name: basename(path, '.yml'),
  workflow: parse(text) as Workflow,
}))

it.each(FILES)(
  '$path names actions of other repositories by commit, with the version in a comment',
  ({ text }) => {
    const used = [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action ?? '')
    const pinned = /^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(used.filter((action) => !action.startsWith('./') && !pinned.test(action))).toEqual([])
  },
)

it.each(WORKFLOWS)('$name can write nothing unless a job says so', ({ workflow }) => {
  expect(Object.values(workflow.permissions).filter((right) => right !== 'read')).toEqual([])
})

describe('the release', () => {
  const jobs = WORKFLOWS.find(({ name }) => name === 'release')?.workflow.jobs ?? {}

  const publish = jobs.publish?.steps ?? []

  it('gives the right to publish to one job', () => {
    const publishers = Object.entries(jobs).filter(([, { permissions }]) => permissions?.['id-token'])
    expect(publishers.map(([name, { permissions }]) => [name, Object.keys(permissions ?? {})])).toEqual([
      ['publish', ['id-token', 'attestations']],
    ])
  })

  it('publishes without the source and without any dependency', () => {
    const actions = publish.map(({ uses = '' }) => uses.split('@')[0] ?? '').filter((uses) => uses !== '')
    expect(new Set(actions)).toEqual(
      new Set(['actions/download-artifact', 'actions/setup-node', 'actions/attest']),
    )
    expect(publish.filter(({ run = '' }) => /install|pnpm|npx|node /.test(run))).toEqual([])
  })

  it('publishes what two runners have built alike', () => {
    expect(jobs.publish?.needs).toEqual(['pack', 'build-again'])
    const compared = jobs['build-again']?.steps?.some(({ run }) => run?.startsWith('sha256sum --check'))
    expect(compared).toBe(true)
  })
})
