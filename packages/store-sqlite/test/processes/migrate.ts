/** Migrates many new files, while the same program does so in other processes, and reports what went wrong. */
import { migrate } from '../../src/index.ts'
import { begun } from './process.ts'

const { path } = await begun()
const errors: string[] = []
for (let count = 0; count < 100; count++) {
  try {
    migrate({ path: `${path}.${count}` })
  } catch (error) {
    errors.push(String(error))
  }
}
process.send?.(errors)
process.disconnect()
