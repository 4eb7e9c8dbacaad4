import { describeStore } from '@grantkit/testkit'
import { createSqliteStore, migrate, type SqliteStore } from '../src/index.ts'
import { copyWithLog, newFolder } from './files.ts'

/** A store whose process can crash: it goes on with a copy of what a killed process would leave. */
async function openCrashable(now: () => number, prefix?: string) {
  const { path, remove } = await newFolder()
  migrate({ path, prefix })
  const open = (file: string) => createSqliteStore({ path: file, prefix, now })
  const opened: SqliteStore[] = [open(path)]
  const last = () => opened.at(-1) as SqliteStore
  return {
    store: {
      get clients() {
        return last().clients
      },
      get grants() {
        return last().grants
      },
      get transients() {
        return last().transients
      },
      within: (namespace: string) => last().within(namespace),
    },
    async restart() {
      const before = opened.length === 1 ? path : `${path}.${opened.length - 1}`
      await copyWithLog(before, `${path}.${opened.length}`)
      opened.push(open(`${path}.${opened.length}`))
    },
    async close() {
      for (const store of opened) await store.close()
      await remove()
    },
  }
}

describeStore('sqlite', ({ now }) => openCrashable(now), {
  survivesRestart: true,
  transients: true,
  namespaces: true,
})

describeStore('sqlite with tables of another prefix', ({ now }) => openCrashable(now, 'oauth_'), {
  survivesRestart: true,
  transients: true,
  namespaces: true,
})
