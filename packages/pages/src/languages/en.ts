/**
 * The texts that every other language translates. `{app}`, `{brand}` and the like are filled in: a translation has the same ones,
 * in its own order. A text with `one` and `other` depends on `{count}`: give the forms that `Intl.PluralRules` has for the language.
 */
export const en = {
  tag: 'en',
  name: 'English',
  /** Whether a text that stands inside a list begins in lower case: "See your notes and change them". */
  lowerCaseInLists: true,
  common: {
    unnamedApp: 'An app without a name',
    /** A label; the name and e-mail address of the user follow. */
    signedInAs: 'Signed in as',
    /** A link for whoever is not that user. */
    notYou: 'Not you?',
  },
  /** Below the name of an app: how far to trust that name. */
  origin: {
    /** Of a known client: its address is one that the operator allows, whatever the app calls itself. */
    known: 'Verified: your answer goes to {host} and nowhere else.',
    operator: 'Set up by {brand}.',
    unverified: 'Not verified: it chose this name itself. Go on only if you have just started it.',
    document: 'It chose this name itself. Go on only if you trust the site that describes it.',
    loopback:
      'Any program on this device can pretend to be this app. Go on only if you have just started it.',
  },
  consent: {
    title: 'Allow access?',
    expired:
      'Your answer did not count: this page was open for too long, or you have signed in again since. Please answer again.',
    allowsNothing: 'That answer would allow nothing. Tick at least one permission, or deny.',
    /** Names the part of the page about the app, for screen readers. */
    theApp: 'The app',
    /** A label; the address of the document that describes the app follows. */
    describedBy: 'Described by',
    /** A label; the host follows to which the browser goes after the answer. */
    sendsYouTo: 'Sends you to',
    onThisDevice: '{host}, on this device',
    /** A disclosure of what follows: the whole address, and the reference. */
    details: 'Details',
    wholeAddress: 'The whole address',
    /** A label; what the user tells the operator follows. */
    reference: 'Reference',
    /** A warning for known clients, whose users share one address. The reason follows. */
    gains: 'Whoever began this at {host} can use this access as you.',
    gainsReason: 'Go on only if you began it there yourself, a moment ago. If someone sent you a link, deny.',
    asks: 'It asks to do the following on your behalf:',
  },
  /** Where an app gets access for one organization of its user. */
  organization: {
    /** A label; the name of the organization follows. */
    label: 'Organization',
    question: 'For which organization?',
    /** In a list, before anything is chosen. */
    choose: 'Choose one',
  },
  /** What an app asks for beside scopes: the sentences of the operator follow. */
  details: {
    asks: 'It asks for exactly this:',
    whole: 'All of it or nothing: if anything is wrong, deny.',
  },
  scopes: {
    permissions: { one: '{count} permission.', other: '{count} permissions.' },
    changing: { one: '{count} can change things.', other: '{count} can change things.' },
    readingOnly: 'None can change anything.',
    /** In place of the sentences above, of a single permission. */
    oneReading: 'One permission, which changes nothing.',
    oneChanging: 'One permission, which can change things.',
    /** In a list that is folded. */
    allowedBefore: {
      one: 'You have allowed {count} of them before.',
      other: 'You have allowed {count} of them before.',
    },
    untick: 'Untick what it should not do.',
    disconnect: 'You can disconnect it at any time under {connectedApps}.',
    /** Jumps over a long list to the buttons. */
    toDecision: 'Go to the decision',
    /** The heading of scopes without an area, if others have one. */
    general: 'General',
    /** A mark of one scope, or of a group with such a scope. */
    canChange: 'Can change things',
    /** A mark of one scope, or of a group: the user allowed it earlier. */
    before: 'Allowed before',
    /** A mark of a scope that cannot be unticked. */
    needed: 'Needed',
  },
  decision: {
    deny: 'Deny',
    /** What a screen reader says of the button; it contains `readingOnly`. */
    allowReadingOnly: 'Allow reading only',
    /** Three buttons share a row of 320 px: as short as possible. */
    readingOnly: 'Reading only',
    allow: 'Allow',
  },
  /** For an app that waits on another machine: the user carries an address there by hand. */
  callback: {
    offer: 'My app runs on another machine',
    offerWarning:
      'Choose this only if you started the app there yourself. You then copy an address to it, and the address signs it in. If someone else asked you for it, or sent you here, they are trying to access your account.',
    offerChoice: 'Show me the address, to paste it into my app',
    title: 'Paste this address into your app',
    warning: 'Do not give it to anyone, and do not paste it into any other page.',
    warningReason: 'Anyone who has it can sign in as you.',
    waits: 'The app is waiting for this address where you started it.',
    lifetime: {
      one: 'The address works once, for {count} second.',
      other: 'The address works once, for {count} seconds.',
    },
    address: 'Address',
    notStarted: 'If you did not start the app yourself, close this page.',
    thenDisconnect: 'Then disconnect it under {connectedApps}.',
    deniedTitle: 'Nothing got access',
    denied: 'You can stop the app where you started it, and close this page.',
  },
  /** After the answer, for an app that the browser opens by an address such as `com.example.app:/callback`. */
  openApp: {
    title: 'Back to {app}',
    unnamedTitle: 'Back to the app',
    allowed: 'You allowed access. Your browser opens the app now, or asks you first.',
    /** The user denied, or something went wrong. */
    denied: 'The app did not get access. Your browser opens it now, or asks you first.',
    open: 'Open the app',
    lifetime: {
      one: 'If the app does not open, use the button. It works once, for {count} second.',
      other: 'If the app does not open, use the button. It works once, for {count} seconds.',
    },
    close: 'When you are back in the app, you can close this page.',
  },
  /** After the answer, for an app that gets it by a form (`response_mode=form_post`). */
  formPost: {
    text: 'Your browser now takes the answer to the app. If nothing happens, use the button.',
    button: 'Continue',
  },
  /** On the sign-in page, for a request that only a passkey meets. */
  stepUp: {
    title: 'A password is not enough here.',
    reason:
      'The app asks for a sign-in that nobody can imitate with a fake page or a stolen password: use your passkey.',
    button: 'Sign in with a passkey',
    noPasskey: 'You have no passkey yet? Add one in {account}, then start again in the app.',
    /** In place of `{account}` there: a link to the account page. */
    account: 'your account',
    unsupported: 'This browser offers no passkeys here. Try another one.',
  },
  /** On the sign-in page: why a sign-in with an OpenID provider was refused, and whether the user can do something. */
  signInRefused: {
    denied: '{provider} did not sign you in. You can try again, or sign in another way.',
    /** The provider does not respond, or does not accept this service. */
    notNow: 'Signing in with {provider} does not work at the moment.',
    invalid:
      'The answer of {provider} was not accepted. Please try again. If it happens again, ask the operator of this service.',
    expired: 'This sign-in took too long, or began in another window. Please try again.',
    notFresh:
      'You have to sign in again, and {provider} did not confirm a new sign-in. Please use another way to sign in.',
    tooLong:
      'The request of the app is too long for this way to sign in. Choose another, or start again in the app.',
    signUpOff:
      'Your account at {provider} cannot be used to sign in here. Ask the operator of this service for access.',
    emailMissing: '{provider} did not send your e-mail address. Ask the operator of this service.',
    emailUnverified: '{provider} did not confirm your e-mail address. Ask the operator of this service.',
    /** `{domains}` is a list: `corp.example and notes.example`. */
    domainNotAllowed: '{domains} accounts can sign in here; yours is of {domain}.',
    tenantNotAllowed:
      'Your organization at {provider} cannot sign in here. Ask the operator of this service.',
    groupMissing:
      'Your account at {provider} is in no group that can sign in here. Ask the operator of this service.',
    groupsOverage:
      '{provider} did not say which groups you are in, because there are too many. Ask the operator of this service.',
    emailInUse:
      'There is an account here with this e-mail address. If it is yours, sign in to it and connect {provider} there.',
    identityInUse: 'Your account of {provider} is connected with another account here.',
    adminRefused:
      '{provider} is not safe enough for the account of an admin. Please use another way to sign in.',
    accountDisabled: 'Your account here cannot be used to sign in. Ask the operator of this service.',
  },
  device: {
    codeTitle: 'Connect a device',
    codeWrong: 'This code is wrong or has expired. Check the code on your device, or start again there.',
    code: 'Code',
    codeWhere: 'Your device, or the program that you have just started on it, shows the code.',
    codeFromLink: 'The code came with a link. Go on only if your own device shows the same code now.',
    continue: 'Continue',
    codeSent: 'If someone sent you a code or a link, close this page: it would let them into your account.',
    title: 'Give another device access?',
    warning: 'If someone sent you this code, deny.',
    warningReason:
      'You are not signing in here: you let another device act on your behalf, wherever it is and whoever holds it.',
    theDevice: 'The device',
    itsCode: 'Its code',
    /** A label; one of the three texts below follows. `{ago}` is "20 seconds ago". */
    started: 'Started',
    sameNetwork: '{ago}, from the network you are on',
    otherNetwork: '{ago}, from a network other than yours',
    unknownNetwork: '{ago}, from an unknown network',
    asks: 'The device asks to do the following on your behalf:',
    allowedTitle: 'The device has access',
    allowed: 'Go back to it: {app} continues by itself in a few seconds. You can close this page.',
    notYours: 'If you did not start this on a device of your own, disconnect it now under {connectedApps}.',
    deniedTitle: 'Nothing got access',
    denied: '{app} gets no access on the device. You can close this page.',
  },
  /** Requests of apps without a browser (CIBA). `{message}` is what the app says. */
  requests: {
    title: 'Requests',
    intro: 'Apps that work for you without your browser ask here. A request ends after some minutes.',
    none: 'Nothing waits for you.',
    view: 'View the request',
    quoted: '“{message}”',
    unanswered: 'Apps whose requests ended without an answer',
    silence: 'Do not let it ask again',
    silenced: 'Apps that may not ask you',
    letAsk: 'Let it ask again',
    askTitle: 'An app asks for your approval',
    warning: 'Deny if you do not expect this.',
    warningReason: 'You did not begin this here: the app asks by itself, at a time that it chose.',
    theApp: 'The app',
    says: 'The app says',
    asked: 'Asked',
    askedFrom: '{ago}, from the network {network}',
    asks: 'The app asks to do the following on your behalf:',
    never: 'If I deny: this app may not ask me again',
    allowedTitle: 'The app has access',
    allowed: '{app} continues by itself in a few seconds. You can close this page.',
    mistake: 'If this was a mistake, disconnect it now under {connectedApps}.',
    deniedTitle: 'Nothing got access',
    denied: '{app} gets no access. You can close this page.',
    blocked: '{app} may not ask you before {time}. You can change that on the page of requests.',
    once: {
      allowedTitle: 'Allowed once',
      allowed:
        'This can be done once, within the next few minutes. {app} got no other access by it. You can close this page.',
      deniedTitle: 'Denied',
      denied: 'It will not be done. You can close this page.',
    },
  },
  logout: {
    title: 'Sign out?',
    askedByApp: 'An app that calls itself {app} asks to sign you out of {brand}.',
    askedByLink: 'A link asks to sign you out of {brand}.',
    appsKeepAccess:
      'Apps that you allowed before keep their access, including those on a command line, except those that end with your sign-in.',
    disconnect: 'You can disconnect them under {connectedApps}.',
    signOut: 'Sign out',
    stay: 'Stay signed in',
    signedOutTitle: 'You are signed out',
  },
  connectedApps: {
    /** The title of the page, and the text of links to it. */
    title: 'Connected apps',
    intro: 'An app that you disconnect loses its access at once, and has to ask you again.',
    used: 'An app counts as used when it renews its access, about once an hour while it runs.',
    none: 'No app can act on your behalf.',
    /** On a page of a list that goes on elsewhere. */
    noneHere: 'There are no apps on this page.',
    expired:
      'Nothing was changed: this page was open for too long, or you have signed in again since. Please try again.',
    disconnected: '{app} is disconnected. It can no longer act on your behalf.',
    named: 'The app is now called {app} here.',
    unregistered: 'An app that is no longer registered',
    /** Where the user gave it another name. */
    callsItself: 'The app calls itself {app}.',
    unverified: 'It chose this name itself.',
    /** A label; one of the two texts below follows. */
    runsOn: 'Runs on',
    otherDevice: 'another device',
    otherDeviceFrom: 'another device, which asked from {network}',
    /** A label; the address of an identity provider follows, which allowed the app in place of the user. */
    allowedBy: 'Allowed by',
    /** A mark of the host of a known client. */
    verifiedAddress: 'Verified address',
    firstUsed: 'First used',
    lastUsed: 'Last used',
    mayDo: 'What it may do',
    yourName: 'Your name for it',
    /** What a screen reader says of the field for it. */
    yourNameFor: 'Your name for {app}',
    save: 'Save',
    disconnect: 'Disconnect',
    /** What a screen reader says of the button; it contains `disconnect`. */
    disconnectApp: 'Disconnect {app}',
    /** An app with more than one. */
    installations: { one: '{count} installation.', other: '{count} installations.' },
    /** The button for these. */
    disconnectAll: { other: 'Disconnect all {count}' },
    /** What a screen reader says of that button; `{all}` is its text. */
    disconnectAllOf: '{all} installations of {app}',
    /** Names the links below the list, for screen readers. */
    pages: 'Pages',
    firstPage: 'First page',
    nextPage: 'Next page',
  },
  /** Tokens that a user makes for a program of their own, which no browser can sign in. */
  personalTokens: {
    /** The title of the page, and the text of links to it. */
    title: 'Personal access tokens',
    intro:
      'For a script or a build server, where no browser can sign you in. Whoever has a token can do what it allows, as you.',
    none: 'You have no tokens.',
    /** The heading above a new token. */
    made: 'Your token {label}',
    copyNow: 'Copy it now: it is not shown again.',
    secret: 'Keep it like a password. Do not put it into source code, and give it to nobody.',
    token: 'Token',
    copy: 'Copy',
    copied: 'Copied',
    /** The heading of the form. */
    make: 'New token',
    name: 'Name',
    /** Below the field for the name. */
    nameHint: 'For yourself, such as the program and the machine.',
    /** A label of the list of scopes. */
    mayDo: 'What it may do',
    /** A label of the list of resources. */
    worksAt: 'Where it works',
    expiresAfter: 'Expires after',
    days: { one: '{count} day', other: '{count} days' },
    submit: 'Create token',
    /** A label; a time follows. */
    created: 'Created',
    /** A label; a time follows. */
    expires: 'Expires',
    never: 'never',
    expiresSoon: 'Expires soon',
    /** A label; a time follows, or `notYet`. */
    lastUsed: 'Last used',
    notYet: 'not yet',
    usedFrom: '{time}, from {network}',
    end: 'Revoke',
    /** What a screen reader says of the button; it contains `end`. */
    endToken: 'Revoke {label}',
    ended: 'The token {label} is revoked. It works nowhere any more.',
    /** A link follows. */
    notFresh: 'To create a token, confirm that it is you.',
    signInAgain: 'Sign in again',
    expired:
      'Nothing was changed: this page was open for too long, or you have signed in again since. Please try again.',
    incomplete:
      'No token was created. Give it a name of at most 60 characters, and tick what it may do and where it works.',
    full: 'No token was created: you have as many as one user may have. Revoke one that you no longer need.',
    back: 'Back to your account',
  },
  error: {
    title: 'This request cannot be answered',
    unavailableTitle: 'This does not work right now',
    unavailable: 'Please try again in a moment.',
    tellProgram: 'If this happens again, pass the text below on to the app, or to the people who made it.',
    reference: 'If you ask for help, pass on this reference: {reference}',
    /** Opens a box in English. */
    forDeveloper: 'Text for the app and its developer',
  },
  /** What a user can do about an error. */
  advice: {
    appMistake: 'The app that sent you here made a mistake. Go back to it and try again.',
    appUnknown: '{brand} does not know this app. Go back to it and sign in again.',
    appNotDescribed:
      'The app named an address that should describe it, but it is not described there. Go back to the app and try again.',
    appNotAccepted: '{brand} does not accept this app as it is. Ask the operator of {brand}.',
    redirectAddress:
      'The app wants the answer at an address that is not registered for it. You were not sent there. Remove the connection in the app and add it again, so that it registers the new address.',
    redirectNotAllowed:
      'The app wants the answer at an address that {brand} does not allow. You were not sent there. Only the operator of {brand} can allow it.',
    requestExpired: 'This took too long. Go back to the app and start again.',
    requestUnknown: 'The link from the app is not valid. Go back to the app and start again.',
    requestAnswered: 'You have answered this already. Go back to the app.',
    signInNeeded: 'The app wanted to continue without asking you, but you are not signed in here.',
    signInDeclined: 'You did not sign in. You can close this window and go back to the app.',
    otherSite: 'Another site sent this form, so nothing was decided. Close that site.',
    tooManyApps: 'Too many unknown apps were tried. Wait a while, then try again.',
    tooManyCodes: 'Too many codes were tried. Wait a few minutes, and look at the code on your device again.',
    deviceExpired: 'This took too long. Start again on the device.',
    deviceAnswered: 'You have answered this already. Go back to the device.',
    deviceFormExpired:
      'This page was open for too long, or you have signed in again since. Nothing was decided: open it again and type the code once more.',
    choiceMissing: 'A choice was missing, so nothing was decided. Go back and choose.',
    notMember: 'You are not a member of this organization.',
    noOrganization: 'You belong to no organization, and this server needs one.',
    notShown: 'The page did not show everything that the app asks for. Start again in the app.',
    requestDecided: 'You have answered this already. There is nothing more to do.',
    requestEnded: 'The request has ended. If you want it, the app must ask again.',
    requestFormExpired: 'Nothing was decided: open the requests page again.',
    noRequest: 'You have no such request. Sign in as the user whom the app asked.',
    signOutUnproven: "The app's sign-out request is not valid, so you are still signed in.",
    signOutAppUnknown:
      'The request did not say which app it is from, so you were not sent back to the app. You are still signed in.',
    signOutAddress:
      'The app wants you to come back to an address that is not registered for it. You were not sent there, and are still signed in.',
    signOutFormExpired:
      'This page was open for too long, or you have signed out or in again since. This time nothing was changed.',
  },
}
