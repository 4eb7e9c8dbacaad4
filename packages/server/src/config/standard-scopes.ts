import type { ScopeDefinition } from '@grantkit/core'

/** The scopes of OpenID Connect (Core 5.4). */
export const STANDARD_SCOPES = {
  openid: {
    description: {
      en: 'Confirm who you are',
      de: 'Bestätigen, wer Sie sind',
      fr: 'Confirmer votre identité',
      es: 'Confirmar su identidad',
      'pt-BR': 'Confirmar quem você é',
      ja: 'ご本人であることの確認',
    },
  },
  profile: {
    description: {
      en: 'See your name and profile',
      de: 'Ihren Namen und Ihr Profil ansehen',
      fr: 'Voir votre nom et votre profil',
      es: 'Ver su nombre y su perfil',
      'pt-BR': 'Ver seu nome e seu perfil',
      ja: '名前とプロフィールの表示',
    },
  },
  email: {
    description: {
      en: 'See your e-mail address',
      de: 'Ihre E-Mail-Adresse ansehen',
      fr: 'Voir votre adresse e-mail',
      es: 'Ver su correo electrónico',
      'pt-BR': 'Ver seu e-mail',
      ja: 'メールアドレスの表示',
    },
  },
} as const satisfies Readonly<Record<string, ScopeDefinition>>
