import { z } from '@hono/zod-openapi'
import type { AccountEntry } from '../accounts/account-directory.ts'
import { brokenPasswordRule, PASSWORD_RULE } from '../accounts/new-password.ts'
import { ProfileClaims } from '../accounts/profile-claims.ts'
import { SUB_EXPECTED, SUB_FORM } from '../accounts/user-claims.ts'
import { PageQuery, pageOf, text } from './lists.ts'

/** The messages of the admin API about users. */

const time = z.iso.datetime()

export const User = z
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
export const UserDetails = User.extend(SignInMethods).openapi('UserDetails')
export const UserPage = pageOf('UserPage', User)

export const Sub = z.string().regex(SUB_FORM, SUB_EXPECTED).openapi({ example: '248289761001' })
export const UserPath = z.object({ sub: Sub })

const Password = z
  .string()
  .superRefine((password, context) => {
    const broken = brokenPasswordRule(password)
    if (broken !== undefined) context.addIssue(broken)
  })
  .openapi({ description: PASSWORD_RULE })

export const NewPassword = z.strictObject({ password: Password }).openapi('NewPassword')

export const NewUser = z
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

export const UserQuery = z.strictObject({
  ...PageQuery,
  email: text.optional().openapi({ description: 'Only the user with this address' }),
  prefix: text.optional().openapi({ description: 'Only users whose address begins like this' }),
})

export function userOf(entry: AccountEntry): z.output<typeof User> {
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
