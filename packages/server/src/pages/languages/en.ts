import type { Texts } from '@grantkit/pages'

/** The texts of the server's own pages that every other language translates: those of `@grantkit/pages` come with it. */
export const en = {
  signIn: {
    title: 'Sign in',
    /** Which app sends the user. */
    sentBy: '{app} asks you to sign in.',
    sentByUnverified: '{app} asks you to sign in. It chose this name itself.',
    sentByHost: 'The app of {host} asks you to sign in.',
    email: 'Email',
    emailOrName: 'Email or user name',
    password: 'Password',
    forgotten: 'Forgot your password?',
    /** A link, and the title of the page behind it, for a user whose address has an account. */
    connect: 'Sign in to connect {provider}',
    connectWhy:
      'Sign in here to your account within ten minutes. Then you can sign in with {provider} too, and every other browser is signed out.',
    notConnected:
      '{provider} was not connected. Sign in to the account that has this e-mail address, with its passkey if you are an admin.',
    connectAgain: '{provider} was not connected. Begin again with {provider}.',
    /** A button for an OpenID provider. */
    withProvider: 'Continue with {provider}',
    /** The title of a page that leads on from there by itself. */
    backFrom: 'Back from {provider}',
    /** The user gives it to the operator. */
    reference: 'Reference: {reference}',
    /** A link, where the page offers only the ways of the user who is signed in. */
    anotherAccount: 'Use another account',
    goBack: 'Go back without signing in again',
    goBackTo: 'Go back to {app} without signing in',
    goBackToApp: 'Go back to the app without signing in',
    tryAgain: 'Try again',
    expired: 'This form has expired. Please sign in again.',
    tooMany: 'Too many attempts. Please wait a little.',
    wrongPassword: 'This e-mail address and password do not belong together.',
    wrongPasskey: 'This passkey did not sign you in. Please try again.',
  },
  /** Where an application signs the users in, `{host}`. */
  signInElsewhere: {
    denied: '{host} did not sign you in.',
    invalid: 'The sign-in at {host} did not work. The operator of this service can see the reason.',
    expired: 'This sign-in took too long, was used before, or began in another window.',
    notFresh: 'You have to sign in again, and {host} did not ask you to.',
    disabled: 'An operator has disabled your account here.',
    removed: 'Your account here was removed.',
    taken: 'Your user id at {host} belongs to another account here.',
  },
  forgottenPassword: {
    title: 'Forgot your password?',
    intro: 'We send a link to your e-mail address, with which you choose a new password.',
    send: 'Send the link',
    back: 'Back to the sign-in page',
    sentTitle: 'Look at your mail',
    sent: 'If an account here has this address and a password, a mail with a link is on its way to it. The link is valid for 30 minutes.',
    nothing: 'Nothing arrives? Look at the folder for spam. If you sign in without a password, use that way.',
  },
  newPassword: {
    title: 'New password',
    /** Whose password it will be. */
    owner: 'For {name}, {email}.',
    password: 'New password',
    again: 'New password again',
    length: 'At least {count} characters.',
    endsSessions: 'It signs you out in every browser.',
    endsOtherSessions: 'It signs you out in every other browser.',
    set: 'Set password',
    notTwice: 'You did not type the same new password twice.',
    tooShort: 'The password must have at least {count} characters.',
    tooLong: 'The password must have at most {count} characters.',
    controlCharacters: 'The password must not contain control characters.',
    ofOwner: 'The password must not be your name, your e-mail address or the name of this service.',
    common: 'The password must not be one of the most common passwords, which attackers try first.',
    invalidTitle: 'This link is not valid any more',
    invalid: 'It was used, it is older than 30 minutes, or the account has changed since.',
    requestAnother: 'Request another link',
    changedTitle: 'Your password is changed',
    changed: 'You are signed out in every browser.',
    signIn: 'Sign in with the new password',
    apps: 'Your apps stay connected. Did somebody else know your password? Then they may have connected one of them.',
    disconnectApps: 'Disconnect all apps',
    disconnectedTitle: 'All apps are disconnected',
    disconnected: 'Each app asks you again before it gets access.',
  },
  signOut: {
    intro:
      'You will have to sign in again the next time an app asks. Apps you allowed before keep their access until you disconnect them in {account}, except those that end with your sign-in.',
    stillElsewhere: 'You are still signed in at {host}. Sign out there too if others use this browser.',
    everywhere: 'You are signed out in every browser, including this one.',
  },
  account: {
    title: 'Your account',
    /** The admin pages. */
    operatorsView: "Operator's view",
    /** Names the part of the page with the name of the user, for screen readers. */
    you: 'You',
    requests: '{requests} of apps that cannot use a browser.',
    tokens: '{tokens}, for programs that no browser can sign in.',
    notFresh: 'To change how you sign in, sign in again first.',
    where: 'Where you are signed in',
    thisBrowser: 'this browser',
    /** Of a session. */
    used: 'last used {time}',
    from: '{time} from {network}',
    browserOn: '{browser} on {system}',
    byPassword: 'password',
    byPasskey: 'passkey',
    byProvider: 'provider {provider}',
    byApplication: 'application',
    /** What a screen reader adds to the button of one session. */
    session: '{device} of {time}',
    someBrowser: 'the browser',
    /** Where several are equal: `1 of 2`. */
    numbered: '{number} of {count}',
    endEverySession: 'Sign out everywhere',
    sessionEnded: 'That browser is signed out.',
    earlier: 'Earlier sign-ins',
    kept: 'Of an IP address only its network is kept. Apps that you connected stay connected when you sign out, except those that end with your sign-in.',
  },
  /** The part of the account page about the ways to sign in. */
  methods: {
    title: 'How you sign in',
    noPassword: 'No password',
    changePassword: 'Change password',
    firstPassword: 'Set a password',
    currentPassword: 'Current password',
    wrongPassword: 'Your current password is not right. Nothing was changed.',
    overtaken: 'Your account was changed at the same time. Nothing was changed here; please try again.',
    passwordChanged: 'Your password is changed. You are signed out in every other browser.',
    passkey: 'Passkey {name}',
    added: 'Added {time}, last used {used}.',
    addedUnused: 'Added {time}, not used yet.',
    /** Whether it is on more than one device of the user. */
    synced: 'Kept on more than one device.',
    notSynced: 'Kept on one device.',
    connected: 'Connected {time}.',
    remove: 'Remove',
    /** What a screen reader says of the button; it contains `remove`. */
    removePasskey: 'Remove passkey {name}',
    removeProvider: 'Remove {provider}',
    removing: 'Removing a way to sign in signs you out everywhere.',
    last: 'This is your last way to sign in, or a passkey that your account needs. Add another one first.',
    connect: 'Connect {provider}',
    newPasskey: 'Name of a new passkey',
    /** A name as an example. */
    example: 'My laptop',
    addPasskey: 'Add a passkey',
    passkeyNotAdded: 'The passkey was not added. Please try again.',
    noPasskeys: 'Browsers offer no passkeys at this address: they need https, or the name {localhost}.',
    /** A link follows: one of the two texts below. */
    confirm: 'To change this, {signIn}.',
    signIn: 'sign in again',
    signInWithPasskey: 'sign in again with your passkey',
  },
  /** A user who must have a passkey adds the first one. */
  firstPasskey: {
    title: 'Add a passkey',
    why: 'Your account needs a passkey. Until it has one, you are not signed in.',
    whyLink: 'The operator of this service lets you add a passkey. Then you are signed out in every browser.',
    how: 'A passkey is kept by your device or your password manager, and you confirm it by finger, face or PIN. Afterwards you sign in with it.',
    name: 'Name of the passkey',
    none: 'No button? This browser has no passkeys, or no script. Begin again in another one.',
    over: 'There is nothing to add here any more',
    overWhy:
      'After a sign-in you have five minutes to add a first passkey. A link works for one day and for one passkey. Lost your passkey? Ask the operator of this service for a new link.',
    only: 'This account opens only with its passkey. Lost it? Ask the operator of this service for a link.',
    /** Of a provider that did not say when its user signed in, or long ago. */
    notFresh:
      'Your account needs a passkey. To add one, sign in again: this sign-in does not show that you were there in the last five minutes.',
    noticeTitle: 'You will need a passkey',
    /** Of users who must have a passkey from a day on. */
    noticeFrom: 'From {day} on, you can sign in only with a passkey. Your account has none.',
    noticeAdd: 'Add a passkey now',
    noticeLater: 'Not now',
  },
  /** The part of the account page about sign-ins that failed, and whose fault it was. */
  failures: {
    title: 'Sign-ins that failed',
    app: 'The app made a mistake.',
    operator: 'This service is not set up for this app.',
    user: 'It was not finished in time, or was ended.',
    network: 'The app and this service did not reach each other.',
    server: 'This service had a fault.',
    hint: 'Give the reference to whoever runs this service, who can find out what went wrong.',
  },
  mails: {
    /** Of most mails. */
    subject: '{title} at {brand}',
    /** What happened to the account, by the kind of the news. */
    news: {
      password_by_user: {
        title: 'Your password was changed',
        what: 'The password was changed for your account at {brand}, {url}.',
      },
      password_by_mail: {
        title: 'Your password was changed',
        what: 'By the link in a mail, the password was changed for your account at {brand}, {url}.',
      },
      password_by_operator: {
        title: 'New password',
        what: 'An operator set a new password for your account at {brand}, {url}.',
      },
      passkey_added: { title: 'New passkey', what: 'A passkey was added to your account at {brand}, {url}.' },
      passkey_removed: {
        title: 'A passkey was removed',
        what: 'A passkey was removed from your account at {brand}, {url}.',
      },
      identity_linked: {
        title: 'New way to sign in',
        what: 'A provider was connected with your account at {brand}, {url}.',
      },
      identity_removed: {
        title: 'A way to sign in was removed',
        what: 'A provider was disconnected from your account at {brand}, {url}.',
      },
      account_admin_added: {
        title: 'You are an admin now',
        what: 'An operator gave the rights of an admin to your account at {brand}, {url}.',
      },
      passkey_required: {
        title: 'A sign-in was stopped',
        what: 'Somebody tried without a passkey to sign in to your account at {brand}, {url}.',
      },
      request: {
        title: 'An app asks for your approval',
        what: 'An app asks for your approval at {brand}, {url}. The request ends after some minutes.',
      },
      guesses: {
        title: 'Wrong passwords for your account',
        what: 'Somebody tries many wrong passwords for your account at {brand}, {url}.',
      },
      token_created: {
        title: 'New personal access token',
        what: 'A personal access token was created for your account at {brand}, {url}.',
      },
      token_expiring: {
        title: 'A personal access token ends soon',
        what: 'A personal access token that is in use ends within seven days, for your account at {brand}, {url}.',
      },
      token_ended: {
        title: 'A personal access token was revoked',
        what: 'An operator revoked personal access tokens of your account at {brand}, {url}.',
      },
    },
    /** Labels of a list of facts. */
    token: 'Token',
    expires: 'Expires',
    provider: 'Provider',
    when: 'When',
    browser: 'Browser',
    network: 'Network',
    /** What to do. The address of the account follows. */
    byUser:
      'If it was you, do nothing. If it was not you, somebody else can open your account: ask for a new password on the sign-in page, remove the ways to sign in that you do not know, and sign out everywhere:',
    byOperator: 'If you do not know why, ask the operator. This is your account:',
    byRequest:
      'Deny it if you do not expect it: the app asks by itself, and anybody could have made it ask. Sign in and answer here:',
    byGuessing:
      'For a while, browsers in which you have not signed in before have to wait. You can sign in at once in any other browser, with a passkey, with a provider, or with the link that "Forgot your password?" sends. If you use your password elsewhere too, change it:',
    byPasskey:
      'The passkey of the account was missing, so nobody was signed in. If it was not you, somebody else has your password, or your account at a provider: change it. This is your account:',
    /** The same, where the address of the tokens follows. */
    ofNewToken: 'If it was not you, revoke the token at once and change your password:',
    ofOldToken: 'Create a new one if your program still needs it:',
    ofEndedTokens: 'Your other tokens still work. If you do not know why, ask the operator:',
    /** For a forgotten password. */
    reset: {
      subject: 'New password for {brand}',
      what: 'A new password was requested for your account at {brand}, {url}.',
      open: 'If it was you, open this link within {count} minutes and choose a new password. The link works once.',
      ignore: 'If it was not you, do nothing: your password stays as it is. Do not share the link.',
    },
  },
  /** Pages without a form. */
  start: {
    title: 'Sign in with your apps',
    intro: 'Apps can sign you in here. See what you let them do, and disconnect them, in {account}.',
    nothingTitle: 'There is nothing here',
    nothing: 'This address leads nowhere.',
    home: 'Start page',
    whyTitle: 'Why did it not work?',
    why: 'The error of your app ends with a reference, such as {example}. Give it to the operator of this service, who can look up what went wrong. Nobody else can: the reference is no secret.',
    whyAccount: 'You can also see what failed for you in {account}.',
  },
}

export type ServerTexts = Texts<typeof en>
