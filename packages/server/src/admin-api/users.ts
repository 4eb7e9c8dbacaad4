import type { UserGrant } from '@grantkit/core'
import { snakeCased } from '@grantkit/core/internal'
import { z } from '@hono/zod-openapi'
import type { AccountEntry } from '../accounts/account-directory.ts'
import type { UserSession as SessionOfUser } from '../accounts/sessions.ts'
import { ProfileClaims, SUB_EXPECTED, SUB_FORM } from '../accounts/user-claims.ts'
import { json } from '../http/responses.ts'
import {
  type AdminApi,
  addEffect,
  body,
  CONFLICT,
  moment,
  NO_CONTENT,
  NOT_FOUND,
  PageQuery,
  page,
  pageOf,
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

const Sub = z.string().regex(SUB_FORM, SUB_EXPECTED).openapi({ example: '248289761001' })
const UserPath = z.object({ sub: Sub })

const PASSWORD_RULE =
  '`passwordMinLength` (default 8) to 1000 characters, without control characters; none of the most common passwords, nor the name or address of the user or the service'
const Password = z.string().openapi({ description: PASSWORD_RULE })

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

function userOf({ id: sub, ...entry }: AccountEntry): z.output<typeof User> {
  return { sub, ...snakeCased(entry) } as z.output<typeof User>
}

const Grant = z
  .object({
    id: z.string(),
    client_id: z.string(),
    client_name: z.string().optional(),
    scopes: z.array(z.string()),
    resources: z.array(z.string()).openapi({ description: 'Empty: every resource of this server' }),
    created_at: time,
    used_at: time,
    expires_at: time,
  })
  .openapi('Grant')
const GrantPage = pageOf('GrantPage', Grant)
const GrantQuery = z.strictObject({ ...PageQuery, client_id: text.optional() })
const SessionPath = z.object({ sub: Sub, session: text })
const GrantPath = z.object({ sub: Sub, grant: text })

function grantOf({ id, clientId, client, ...grant }: UserGrant): z.output<typeof Grant> {
  return {
    id,
    client_id: clientId,
    client_name: client?.clientName,
    scopes: [...grant.scopes],
    resources: [...grant.resources],
    created_at: moment(grant.createdAt),
    used_at: moment(grant.usedAt),
    expires_at: moment(grant.expiresAt),
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

const tags = ['Users']
const request = { params: UserPath }

/** Lists, shows, adds, changes and removes users, and what they allowed. */
export function users(api: AdminApi): void {
  readUsers(api)
  addUsers(api)
  changeUsers(api)
  grantsOfUsers(api)
}

function readUsers({ app, operation, operator, directory, ways }: AdminApi): void {
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
      const { id } = await operator.users.find(c.req.valid('param').sub)
      return c.json(page((await operator.users.sessions(id)).map(sessionOf), undefined), 200)
    })
    .openapi(list, async (c) => {
      const { email, prefix, limit, cursor } = c.req.valid('query')
      if (email !== undefined) {
        const found = await directory.withEmail(email)
        return c.json(page(found === undefined ? [] : [userOf(found)], undefined), 200)
      }
      const { items, next } = await directory.page({ prefix, after: cursor }, limit)
      return c.json(page(items.map(userOf), next), 200)
    })
    .openapi(show, async (c) => {
      const { sub } = c.req.valid('param')
      const account = await operator.users.find(sub)
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

function addUsers({ app, operation, operator: { users } }: AdminApi): void {
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
  const setPassword = operation('admin:write', {
    ...{ method: 'put', path: '/users/{sub}/password', operationId: 'setPassword', tags },
    request: { ...request, body: body(NewPassword) },
    summary: 'Set the password of a user, and end all sessions',
    responses: { ...NO_CONTENT, ...NOT_FOUND, ...CONFLICT },
  })
  app
    .openapi(add, async (c) => {
      const { sub: id, ...given } = c.req.valid('json')
      const { user, isNew } = await users.add({ ...given, id })
      return isNew ? c.json(userOf(user), 201) : c.json(userOf(user), 200)
    })
    .openapi(setPassword, async (c) => {
      await users.setPassword(c.req.valid('param').sub, c.req.valid('json').password)
      return c.body(null, 204)
    })
}

function changeUsers(api: AdminApi): void {
  const { users, grants } = api.operator
  addEffect(api, {
    ...{ method: 'delete', path: '/users/{sub}', operationId: 'removeUser', tags, params: UserPath },
    summary: 'Remove a user, and end all grants',
    description:
      'Also for a user who signs in at your own application: it ends the grants of this sub. Only the sub is kept, so that no other user gets it.',
    responses: NO_CONTENT,
    work: ({ sub }) => users.remove(sub),
  })
  addEffect(api, {
    ...{ method: 'put', path: '/users/{sub}/disabled', operationId: 'disableUser', tags, params: UserPath },
    summary: 'Disable a user, and end all sessions and grants',
    work: ({ sub }) => users.disable(sub),
  })
  addEffect(api, {
    ...{ method: 'delete', path: '/users/{sub}/disabled', operationId: 'enableUser', tags, params: UserPath },
    summary: 'Let a disabled user sign in again',
    work: ({ sub }) => users.enable(sub),
  })
  addEffect(api, {
    ...{ method: 'put', path: '/users/{sub}/admin', operationId: 'addAdmin', tags, params: UserPath },
    summary: 'Let a user use the admin pages and this API after a new sign-in',
    work: ({ sub }) => users.addAdmin(sub),
  })
  addEffect(api, {
    ...{ method: 'delete', path: '/users/{sub}/admin', operationId: 'removeAdmin', tags, params: UserPath },
    summary: 'Make an admin an ordinary user',
    work: ({ sub }) => users.removeAdmin(sub),
  })
  addEffect(api, {
    ...{
      method: 'delete',
      path: '/users/{sub}/sessions',
      operationId: 'endSessions',
      tags,
      params: UserPath,
    },
    summary: 'Sign a user out in every browser',
    work: ({ sub }) => users.endSessions(sub),
  })
  addEffect(api, {
    ...{ method: 'delete', path: '/users/{sub}/sessions/{session}', operationId: 'endSession', tags },
    params: SessionPath,
    summary: 'Sign a user out in one browser',
    work: ({ sub, session }) => users.endSession(sub, session),
  })
  addEffect(api, {
    ...{ method: 'delete', path: '/users/{sub}/grants', operationId: 'revokeGrants', tags: ['Grants'] },
    params: UserPath,
    summary: 'End all grants of a user',
    description: 'The user can allow every app again.',
    responses: NO_CONTENT,
    work: ({ sub }) => grants.endAll(sub),
  })
  addEffect(api, {
    ...{
      method: 'delete',
      path: '/users/{sub}/grants/{grant}',
      operationId: 'revokeGrant',
      tags: ['Grants'],
    },
    params: GrantPath,
    summary: 'End a grant with all its tokens',
    responses: NO_CONTENT,
    work: ({ sub, grant }) => grants.end(sub, grant),
  })
}

function grantsOfUsers({ app, operation, operator: { grants } }: AdminApi): void {
  const list = operation('admin:read', {
    ...{ method: 'get', path: '/users/{sub}/grants', operationId: 'listGrants', tags: ['Grants'] },
    request: { ...request, query: GrantQuery },
    summary: 'List the grants of a user, the newest first',
    responses: { 200: json('A page of grants', GrantPage) },
  })
  app.openapi(list, async (c) => {
    const { limit, cursor: after, client_id: clientId } = c.req.valid('query')
    const { grants: shown, next } = await grants.list(c.req.valid('param').sub, { limit, after, clientId })
    return c.json(page(shown.map(grantOf), next), 200)
  })
}
