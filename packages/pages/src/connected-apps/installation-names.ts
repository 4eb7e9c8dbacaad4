import { sha256, type Transients } from '@grantkit/core/feature'
import { changeRecord } from '@grantkit/core/internal'
import type { WaitingPorts } from '@grantkit/core/store-kit'
import * as z from 'zod'

/** Keeps what users call the installations of their apps. A name is at most 60 characters on one line. */
export interface InstallationNames {
  /** The names that a user gave to some of these installations. */
  of(subject: string, installations: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** @param until the installation has no grant after it, in epoch seconds, unless its user allows more */
  give(subject: string, installation: string, name: string, until: number): Promise<void>
  forget(subject: string, installation: string): Promise<void>
}

const InstallationName = z.object({ kind: z.literal('installation-name'), name: z.string() })

/** Names in the store of the server, each as a record of its own. */
export function namesInTransients(transients: Transients, ports: WaitingPorts): InstallationNames {
  async function nameOf(subject: string, installation: string): Promise<string | undefined> {
    const seen = await transients.find(recordId(subject, installation))
    return seen && InstallationName.parse(seen.value).name
  }
  return {
    async of(subject, installations) {
      const found = await Promise.all(
        installations.map(async (id) => [id, await nameOf(subject, id)] as const),
      )
      return new Map(found.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])))
    },
    async give(subject, installation, name, expiresAt) {
      const record = { kind: 'installation-name', name, expiresAt }
      await changeRecord(transients, recordId(subject, installation), ports, () => record)
    },
    async forget(subject, installation) {
      await transients.remove(recordId(subject, installation))
    },
  }
}

/** The hash keeps users and clients out of the ids. All features share these. */
function recordId(subject: string, installation: string): string {
  return `installation-name ${sha256(JSON.stringify([subject, installation]))}`
}
