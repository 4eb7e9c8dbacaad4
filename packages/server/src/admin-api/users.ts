import { randomUUID } from 'node:crypto'
import { OAuthError } from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import type { AccountDirectory, AccountEntry } from '../accounts/account-directory.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import { brokenPasswordRule, hashPassword, PASSWORD_RULE } from '../accounts/passwords.ts'
import type { UserSession as SessionOfUser } from '../accounts/sessions.ts'
import { ProfileClaims, SUB_EXPECTED, SUB_FORM } from '../accounts/user-claims.ts'
import type { OperatorActions } from '../operator/operator-actions.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'
import {
  type AdminEnv,
  body,
  CONFLICT,
  json,
  moment,
  NO_CONTENT,
  NOT_FOUND,
  type Operations,
  PageQuery,
  page,
  pageOf,
  refuseOwnAccount,
  text,
} from './operation.ts'

/** The messages of the admin API about users. */

const time = z.iso.datetime()

const User = z
  .object({
    sub: z.string(),
    email: z.string().optional(),
    email_source: z
      .string()
      .optional()
      .openapi({ description: 'Who verified the address: operator, or the issuer of an OpenID provider' }),
    email_since: time.optional(),
    name: z.string().optional(),
    state: z.enum(['active', 'disabled']),
    admin: z.boolean(),
    has_password: z.boolean(),
    added_at: time,
  })
  .openapi('User')

const SignInMethods = {
  passkeys: z.array(z.object({ name: z.string(), last_used_at: time.optional() })),
  identities: z.array(z.object({ issuer: z.string(), sub: z.string(), shown_as: z.string() })),
}
const UserDetails = User.extend(SignInMethods).openapi('UserDetails')
const UserPage = pageOf('UserPage', User)

const UserSession = z
  .object({
    id: z.string(),
    started_at: time,
    last_used_at: time.openapi({ description: 'Within five minutes' }),
    expires_at: time,
    signed_in_by: z.string().optional().openapi({ example: 'passkey' }),
    device: z.string().optional().openapi({ example: 'Firefox on Windows' }),
    network: z.string().optional().openapi({ example: '203.0.113.0/24' }),
  })
  .openapi('UserSession')
const SessionPage = pageOf('SessionPage', UserSession)

export const Sub = z.string().regex(SUB_FORM, SUB_EXPECTED).openapi({ example: '248289761001' })
export const UserPath = z.object({ sub: Sub })

const Password = z
  .string()
  .superRefine((password, context) => {
    const broken = brokenPasswordRule(password)
    if (broken !== undefined) context.addIssue(broken)
  })
  .openapi({ description: PASSWORD_RULE })

const NewPassword = z.strictObject({ password: Password }).openapi('NewPassword')

const NewUser = z
  .strictObject({
    sub: Sub.optional().openapi({
      description:
        'Your own id of the user: it never changes, and a repeated request adds no second user. Default: a UUID',
    }),
    email: z.email().max(254).toLowerCase(),
    email_verified: z.boolean().default(false),
    name: text,
    password: Password.optional().openapi({
      description: `${PASSWORD_RULE}. Without it the user signs in by other methods`,
    }),
    ...ProfileClaims.shape,
  })
  .openapi('NewUser')

const UserQuery = z.strictObject({
  ...PageQuery,
  email: text.optional().openapi({ description: 'Only the user with this address' }),
  prefix: text.optional().openapi({ description: 'Only users whose address begins like this' }),
})

function userOf(entry: AccountEntry): z.output<typeof User> {
  const { id: sub, email, emailSource, emailSince, name, state, admin, hasPassword, addedAt } = entry
  return {
    sub,
    email,
    email_source: emailSource,
    email_since: emailSince,
    ...{ name, state, admin },
    has_password: hasPassword,
    added_at: addedAt,
  }
}

function sessionOf(session: SessionOfUser): z.output<typeof UserSession> {
  const { id, startedAt, usedAt, expiresAt, signedInBy, device, network } = session
  const times = {
    started_at: moment(startedAt),
    last_used_at: moment(usedAt),
    expires_at: moment(expiresAt),
  }
  return { id, ...times, signed_in_by: signedInBy, device, network }
}

export interface UsersOptions {
  readonly accounts: AccountRows
  readonly directory: AccountDirectory
  readonly ways: Pick<WaysToSignIn, 'passkeys' | 'identities'>
  readonly actions: OperatorActions
  /** Whether the server has users of its own: not those of an application or a directory. */
  readonly ownUsers: boolean
}

const USER_ERRORS = defineErrors({
  user_unknown: ['not_found', 'There is no such user', 404],
  user_exists: ['conflict', 'Another user has this address or sub, or had it', 409],
  users_elsewhere: ['conflict', 'An application or a directory has the users of this server', 409],
  user_without_address: ['conflict', 'The user has no verified address to sign in with', 409],
})

const tags = ['Users']
const request = { params: UserPath }

/** Lists, shows, adds, changes and removes users. */
export function users(app: OpenAPIHono<AdminEnv>, operation: Operations, options: UsersOptions): void {
  readUsers(app, operation, options)
  addUsers(app, operation, options)
  changeState(app, operation, options)
  changeSignIn(app, operation, options)
}

function readUsers(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { accounts, directory, ways }: UsersOptions,
): void {
  const list = operation('admin:read', {
    ...{ method: 'get', path: '/users', operationId: 'listUsers', tags, request: { query: UserQuery } },
    summary: 'List users, ordered by address',
    responses: { 200: json('A page of users', UserPage) },
  })
  const show = operation('admin:read', {
    ...{ method: 'get', path: '/users/{sub}', operationId: 'readUser', tags, request },
    summary: 'Read a user, with the sign-in methods',
    responses: { 200: json('The user', UserDetails), ...NOT_FOUND },
  })
  const sessions = operation('admin:read', {
    ...{ method: 'get', path: '/users/{sub}/sessions', operationId: 'listSessions', tags, request },
    summary: 'List where a user is signed in, the newest first',
    responses: { 200: json('All sessions', SessionPage), ...NOT_FOUND },
  })
  app
    .openapi(sessions, async (c) => {
      const { id } = found(await directory.find(c.req.valid('param').sub))
      return c.json(page((await accounts.sessions.list(id)).map(sessionOf), undefined), 200)
    })
    .openapi(list, async (c) => {
      const { email, prefix, limit, cursor } = c.req.valid('query')
      if (email !== undefined) {
        const found = await directory.withEmail(email)
        return c.json(page(found === undefined ? [] : [userOf(found)], undefined), 200)
      }
      const { accounts, next } = await directory.page({ prefix, after: cursor }, limit)
      return c.json(page(accounts.map(userOf), next), 200)
    })
    .openapi(show, async (c) => {
      const { sub } = c.req.valid('param')
      const account = found(await directory.find(sub))
      const [passkeys, identities] = await Promise.all([ways.passkeys.list(sub), ways.identities.list(sub)])
      const methods = {
        passkeys: passkeys.map(({ name, usedAt }) => ({
          name,
          last_used_at: usedAt === undefined ? undefined : moment(usedAt / 1000),
        })),
        identities: identities.map(({ issuer, identity, shownAs }) => ({
          issuer,
          sub: identity,
          shown_as: shownAs,
        })),
      }
      return c.json({ ...userOf(account), ...methods }, 200)
    })
}

function addUsers(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { accounts, directory, ownUsers }: UsersOptions,
): void {
  const add = operation('admin:write', {
    ...{ method: 'post', path: '/users', operationId: 'addUser', tags, request: { body: body(NewUser) } },
    summary: 'Add a user',
    description: 'With a sub, repeat it as often as you like: the user is added once.',
    responses: {
      200: json('This user exists already; nothing was changed', User),
      201: json('The new user', User),
      ...CONFLICT,
    },
  })
  app.openapi(add, async (c) => {
    // The user of that id could not sign in any more: the account would count as another person's.
    if (!ownUsers) throw new OAuthError(USER_ERRORS.users_elsewhere)
    const account = await accountOf(c.req.valid('json'))
    const isNew = await accounts.add(account)
    const entry = await directory.find(account.id)
    if (entry === undefined || entry.email !== account.email) throw new OAuthError(USER_ERRORS.user_exists)
    return isNew ? c.json(userOf(entry), 201) : c.json(userOf(entry), 200)
  })
}

async function accountOf({ sub, password, ...claims }: z.output<typeof NewUser>) {
  return {
    ...claims,
    id: sub ?? randomUUID(),
    updated_at: Math.floor(Date.now() / 1000),
    password: password === undefined ? '' : await hashPassword(password),
  }
}

function changeState(app: OpenAPIHono<AdminEnv>, operation: Operations, { actions }: UsersOptions): void {
  const remove = operation('admin:write', {
    ...{ method: 'delete', path: '/users/{sub}', operationId: 'removeUser', tags, request },
    summary: 'Remove a user, and end all grants',
    description:
      'Also for a user who signs in at your own application: it ends the grants of this sub. Only the sub is kept, so that no other user gets it.',
    responses: NO_CONTENT,
  })
  const disable = operation('admin:write', {
    ...{ method: 'put', path: '/users/{sub}/disabled', operationId: 'disableUser', tags, request },
    summary: 'Disable a user, and end all sessions and grants',
    responses: { ...NO_CONTENT, ...NOT_FOUND },
  })
  const enable = operation('admin:write', {
    ...{ method: 'delete', path: '/users/{sub}/disabled', operationId: 'enableUser', tags, request },
    summary: 'Let a disabled user sign in again',
    responses: { ...NO_CONTENT, ...NOT_FOUND },
  })
  const mark = operation('admin:write', {
    ...{ method: 'put', path: '/users/{sub}/admin', operationId: 'addAdmin', tags, request },
    summary: 'Let a user use the admin pages and this API',
    responses: { ...NO_CONTENT, ...NOT_FOUND },
  })
  const unmark = operation('admin:write', {
    ...{ method: 'delete', path: '/users/{sub}/admin', operationId: 'removeAdmin', tags, request },
    summary: 'Make an admin an ordinary user',
    responses: { ...NO_CONTENT, ...NOT_FOUND },
  })
  app
    .openapi(remove, async (c) => {
      const { sub } = c.req.valid('param')
      refuseOwnAccount(c, sub)
      await actions.removeUser(sub)
      return c.body(null, 204)
    })
    .openapi(disable, async (c) => {
      const { sub } = c.req.valid('param')
      refuseOwnAccount(c, sub)
      requireFound((await actions.disableUser(sub)) !== undefined)
      return c.body(null, 204)
    })
    .openapi(enable, async (c) => {
      requireFound(await actions.enableUser(c.req.valid('param').sub))
      return c.body(null, 204)
    })
    .openapi(mark, async (c) => {
      requireFound(await actions.setAdmin(c.req.valid('param').sub, true))
      return c.body(null, 204)
    })
    .openapi(unmark, async (c) => {
      const { sub } = c.req.valid('param')
      refuseOwnAccount(c, sub)
      requireFound(await actions.setAdmin(sub, false))
      return c.body(null, 204)
    })
}

function changeSignIn(app: OpenAPIHono<AdminEnv>, operation: Operations, options: UsersOptions): void {
  const { accounts, directory, ownUsers } = options
  const setPassword = operation('admin:write', {
    ...{ method: 'put', path: '/users/{sub}/password', operationId: 'setPassword', tags },
    request: { ...request, body: body(NewPassword) },
    summary: 'Set the password of a user, and end all sessions',
    responses: { ...NO_CONTENT, ...NOT_FOUND, ...CONFLICT },
  })
  const signOut = operation('admin:write', {
    ...{ method: 'delete', path: '/users/{sub}/sessions', operationId: 'endSessions', tags, request },
    summary: 'Sign a user out in every browser',
    responses: { ...NO_CONTENT, ...NOT_FOUND },
  })
  app
    .openapi(setPassword, async (c) => {
      const { id, email } = found(await directory.find(c.req.valid('param').sub))
      if (!ownUsers) throw new OAuthError(USER_ERRORS.users_elsewhere)
      if (email === undefined) throw new OAuthError(USER_ERRORS.user_without_address)
      requireFound(await accounts.setPassword(id, await hashPassword(c.req.valid('json').password)))
      return c.body(null, 204)
    })
    .openapi(signOut, async (c) => {
      requireFound(await accounts.endSessions(c.req.valid('param').sub, 'operator'))
      return c.body(null, 204)
    })
}

function found(account: AccountEntry | undefined): AccountEntry {
  if (account === undefined) throw new OAuthError(USER_ERRORS.user_unknown)
  return account
}

function requireFound(existed: boolean): void {
  if (!existed) throw new OAuthError(USER_ERRORS.user_unknown)
}
