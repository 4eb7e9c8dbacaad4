import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '../../../../scripts/packages/consumer.ts'
import { packAll, run, withNeededPackages } from '../../../../scripts/packages/publishable.ts'

/** A folder with what `npm install @grantkit/server` puts there, configured by `grantkit init`. */
export interface Installation {
  readonly folder: string
  remove(): Promise<void>
}

/** From tarballs that it builds, for what users import is JavaScript, not the source of this repository. */
export async function installServer(): Promise<Installation> {
  const place = await mkdtemp(join(tmpdir(), 'grantkit-start-'))
  const remove = () => rm(place, { recursive: true })
  try {
    return { folder: installInto(place), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

function installInto(place: string): string {
  const folder = join(place, 'installed')
  const packed = packAll(place, withNeededPackages(['@grantkit/server']))
  install(folder, packed, { private: true, type: 'module', dependencies: {} })
  run('npx', ['--no', '--', 'grantkit', 'init', '--yes', '--name', 'Notes'], folder)
  return folder
}

/** Bytes of all files below `node_modules`, each once, without what only a compiler reads. */
export function sizeOnDisk(folder: string): { readonly all: number; readonly used: number } {
  const bytes = (...options: string[]) =>
    Number(run('du', ['--summarize', '--bytes', ...options, join(folder, 'node_modules')]).split('\t')[0])
  const unused = ['*.d.ts', '*.d.mts', '*.d.cts', '*.map', '*.md', '*.ts'].map((name) => `--exclude=${name}`)
  return { all: bytes(), used: bytes(...unused) }
}
