import { randomUUID } from 'node:crypto'
import { quickHash } from '@grantkit/test-servers/quick-hash'
import type { RunningService } from './service.ts'

/** An account of its own for a test. @param password empty: there is none */
export async function newUser(
  { accounts }: Pick<RunningService, 'accounts'>,
  password: string,
  { email_verified = true } = {},
): Promise<{ readonly id: string; readonly email: string }> {
  const id = randomUUID()
  const email = `${id}@example.com`
  const hash = password && quickHash(password)
  await accounts.add({ id, email, email_verified, name: 'Ada', updated_at: 0, password: hash })
  return { id, email }
}
