/** Compares the packages that a registry has with those that this commit builds: anybody can check a release. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import * as z from 'zod'
import type { Packed } from './publishable.ts'

/** What a registry says of a version. */
const Published = z.object({
  /** The SHA-512 of the tarball, as Subresource Integrity writes it. */
  integrity: z.string(),
  attestations: z.object({ url: z.url() }).optional(),
})

export interface Verified {
  readonly name: string
  /** `same`: the registry has exactly these bytes. */
  readonly tarball: 'same' | 'different' | 'not published'
  /** The commit that its provenance names. Absent without provenance. `npm audit signatures` verifies its signature. */
  readonly commit?: string | undefined
}

/** @param version such as `0.2.0` */
export function verifyPublished(packed: readonly Packed[], version: string): Promise<Verified[]> {
  return Promise.all(packed.map((one) => verified(one, version)))
}

async function verified({ manifest: { name }, tarball }: Packed, version: string): Promise<Verified> {
  const published = await publishedOf(`${name}@${version}`)
  if (published === undefined) return { name, tarball: 'not published' }
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  const same = published.integrity === integrity
  const url = published.attestations?.url
  return { name, tarball: same ? 'same' : 'different', commit: url && (await commitOf(url)) }
}

/** From the registry that npm is configured for. */
async function publishedOf(specifier: string) {
  try {
    const { stdout } = await promisify(execFile)('npm', ['view', specifier, 'dist', '--json'])
    // npm says nothing about a version that a known package does not have.
    return stdout.trim() === '' ? undefined : Published.parse(JSON.parse(stdout))
  } catch (error) {
    if (String((error as { stderr?: string }).stderr).includes('E404')) return undefined
    throw error
  }
}

const Attestations = z.object({
  attestations: z.array(
    z.object({
      predicateType: z.string(),
      bundle: z.object({ dsseEnvelope: z.object({ payload: z.base64() }) }),
    }),
  ),
})

/** The statement of SLSA 1.0. */
const Statement = z.object({
  predicate: z.object({
    buildDefinition: z.object({
      resolvedDependencies: z.array(z.object({ digest: z.object({ gitCommit: z.string() }) })).min(1),
    }),
  }),
})

async function commitOf(url: string): Promise<string | undefined> {
  const { attestations } = Attestations.parse(await (await fetch(url)).json())
  const provenance = attestations.find(({ predicateType }) => predicateType.startsWith('https://slsa.dev/'))
  if (provenance === undefined) return undefined
  const payload = Buffer.from(provenance.bundle.dsseEnvelope.payload, 'base64').toString()
  const { buildDefinition } = Statement.parse(JSON.parse(payload)).predicate
  return buildDefinition.resolvedDependencies[0]?.digest.gitCommit
}
