import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { afterAll, beforeAll } from 'vitest'
import { describeEngine } from './engine.ts'

let server: PostgresServer
beforeAll(async () => {
  // Serializable transactions report conflicts as the engines do that divide their tables.
  server = await startPostgres('default_transaction_isolation=serializable')
})
afterAll(() => server.close())

describeEngine('the distributed dialect on Postgres with serializable transactions', {
  url: () => server.url,
  async killNode(more) {
    for (let crash = 0; crash < 5; crash++) {
      await more()
      await server.restart()
    }
    await more()
  },
})
