import type { ServerTexts } from './en.ts'

export const de: ServerTexts = {
  signIn: {
    title: 'Anmelden',
    sentBy: '{app} hat Sie hierher geleitet.',
    sentByUnverified: '{app} hat Sie hierher geleitet. Die App hat sich diesen Namen selbst gegeben.',
    sentByHost: 'Die App von {host} hat Sie hierher geleitet.',
    email: 'E-Mail-Adresse',
    emailOrName: 'E-Mail-Adresse oder Benutzername',
    password: 'Passwort',
    forgotten: 'Passwort vergessen?',
    connect: 'Anmelden und {provider} verbinden',
    connectWhy:
      'Melden Sie sich innerhalb von zehn Minuten hier bei Ihrem Konto an. Danach können Sie sich auch mit {provider} anmelden, und alle anderen Browser sind abgemeldet.',
    notConnected:
      '{provider} wurde nicht verbunden. Melden Sie sich bei dem Konto mit dieser E-Mail-Adresse an, als Admin mit seinem Passkey.',
    connectAgain: '{provider} wurde nicht verbunden. Beginnen Sie noch einmal mit {provider}.',
    withProvider: 'Weiter mit {provider}',
    backFrom: 'Zurück von {provider}',
    reference: 'Referenz: {reference}',
    anotherAccount: 'Anderes Konto verwenden',
    goBack: 'Zurück, ohne sich erneut anzumelden',
    goBackTo: 'Zurück zu {app}, ohne sich anzumelden',
    goBackToApp: 'Zurück zur App, ohne sich anzumelden',
    tryAgain: 'Noch einmal versuchen',
    expired: 'Dieses Formular ist abgelaufen. Bitte melden Sie sich noch einmal an.',
    tooMany: 'Zu viele Versuche. Bitte warten Sie ein wenig.',
    wrongPassword: 'E-Mail-Adresse und Passwort passen nicht zusammen.',
    wrongPasskey: 'Die Anmeldung mit diesem Passkey ist fehlgeschlagen. Bitte versuchen Sie es noch einmal.',
    wrongPasskeyOrPassword:
      'Die Anmeldung mit diesem Passkey ist fehlgeschlagen. Bitte versuchen Sie es noch einmal, oder verwenden Sie Ihr Passwort.',
  },
  signInElsewhere: {
    denied: '{host} hat Sie nicht angemeldet.',
    invalid:
      'Die Anmeldung bei {host} ist fehlgeschlagen. Der Betreiber dieses Dienstes kann den Grund sehen.',
    expired:
      'Diese Anmeldung hat zu lange gedauert, wurde schon verwendet oder hat in einem anderen Fenster begonnen.',
    notFresh: 'Sie müssen sich neu anmelden, und {host} hat Sie nicht dazu aufgefordert.',
    disabled: 'Ein Betreiber hat Ihr Konto hier gesperrt.',
    removed: 'Ihr Konto hier wurde entfernt.',
    taken: 'Ihre Benutzer-ID bei {host} gehört hier zu einem anderen Konto.',
  },
  forgottenPassword: {
    title: 'Passwort vergessen?',
    intro: 'Wir senden Ihnen per E-Mail einen Link, mit dem Sie ein neues Passwort festlegen.',
    send: 'Link senden',
    back: 'Zurück zur Anmeldung',
    sentTitle: 'Sehen Sie in Ihrem Postfach nach',
    sent: 'Wenn hier ein Konto diese Adresse und ein Passwort hat, ist eine E-Mail mit einem Link unterwegs. Der Link ist 30 Minuten gültig.',
    nothing:
      'Nichts angekommen? Sehen Sie im Spam-Ordner nach. Wenn Sie sich ohne Passwort anmelden, verwenden Sie diesen Weg.',
  },
  newPassword: {
    title: 'Neues Passwort',
    owner: 'Für {name}, {email}.',
    password: 'Neues Passwort',
    again: 'Neues Passwort wiederholen',
    length: 'Mindestens {count} Zeichen.',
    endsSessions: 'Sie werden damit in allen Browsern abgemeldet.',
    endsOtherSessions: 'Sie werden damit in allen anderen Browsern abgemeldet.',
    set: 'Passwort festlegen',
    notTwice: 'Die beiden neuen Passwörter stimmen nicht überein.',
    tooShort: 'Das Passwort muss mindestens {count} Zeichen haben.',
    tooLong: 'Das Passwort darf höchstens {count} Zeichen haben.',
    controlCharacters: 'Das Passwort darf keine Steuerzeichen enthalten.',
    ofOwner: 'Das Passwort darf nicht Ihr Name, Ihre E-Mail-Adresse oder der Name dieses Dienstes sein.',
    common: 'Das Passwort darf keines der häufigsten Passwörter sein: Angreifer probieren sie zuerst.',
    invalidTitle: 'Dieser Link ist nicht mehr gültig',
    invalid:
      'Er wurde schon verwendet, ist älter als 30 Minuten, oder das Konto hat sich inzwischen geändert.',
    requestAnother: 'Neuen Link anfordern',
    changedTitle: 'Ihr Passwort ist geändert',
    changed: 'Sie sind in allen Browsern abgemeldet.',
    signIn: 'Mit dem neuen Passwort anmelden',
    apps: 'Ihre Apps bleiben verbunden. Kannte jemand anderes Ihr Passwort? Dann kann diese Person eine davon verbunden haben.',
    disconnectApps: 'Alle Apps trennen',
    disconnectedTitle: 'Alle Apps sind getrennt',
    disconnected: 'Jede App fragt Sie erneut, bevor sie Zugriff erhält.',
  },
  signOut: {
    intro:
      'Sie müssen sich wieder anmelden, wenn eine App das nächste Mal fragt. Apps, die Sie schon erlaubt haben, behalten ihren Zugriff, bis Sie sie in {account} trennen, außer denen, die mit Ihrer Anmeldung enden.',
    stillElsewhere:
      'Bei {host} sind Sie weiterhin angemeldet. Melden Sie sich auch dort ab, wenn andere diesen Browser benutzen.',
    everywhere: 'Sie sind in allen Browsern abgemeldet, auch in diesem.',
  },
  account: {
    title: 'Ihr Konto',
    operatorsView: 'Ansicht des Betreibers',
    you: 'Sie',
    requests: '{requests} von Apps, die keinen Browser benutzen können.',
    tokens: '{tokens} für Programme, die kein Browser anmelden kann.',
    notFresh: 'Um zu ändern, wie Sie sich anmelden, melden Sie sich zuerst erneut an.',
    where: 'Wo Sie angemeldet sind',
    thisBrowser: 'dieser Browser',
    used: 'zuletzt genutzt: {time}',
    from: '{time}, aus dem Netz {network}',
    browserOn: '{browser} unter {system}',
    byPassword: 'Passwort',
    byPasskey: 'Passkey',
    byProvider: 'Anbieter {provider}',
    byApplication: 'Anwendung',
    session: '{device}, {time}',
    someBrowser: 'Browser',
    numbered: '{number} von {count}',
    endEverySession: 'Überall abmelden',
    sessionEnded: 'Der Browser ist abgemeldet.',
    earlier: 'Frühere Anmeldungen',
    kept: 'Von einer IP-Adresse wird nur das Netz gespeichert. Verbundene Apps bleiben verbunden, wenn Sie sich abmelden, außer denen, die mit Ihrer Anmeldung enden.',
  },
  methods: {
    title: 'Wie Sie sich anmelden',
    noPassword: 'Kein Passwort',
    changePassword: 'Passwort ändern',
    firstPassword: 'Ein Passwort festlegen',
    currentPassword: 'Aktuelles Passwort',
    wrongPassword: 'Ihr aktuelles Passwort ist nicht richtig. Es wurde nichts geändert.',
    overtaken:
      'Ihr Konto wurde gleichzeitig geändert. Hier wurde nichts geändert; bitte versuchen Sie es noch einmal.',
    passwordChanged: 'Ihr Passwort ist geändert. In allen anderen Browsern sind Sie abgemeldet.',
    passkey: 'Passkey {name}',
    added: 'Hinzugefügt: {time}, zuletzt genutzt: {used}.',
    addedUnused: 'Hinzugefügt: {time}, noch nicht genutzt.',
    synced: 'Auf mehreren Geräten gespeichert.',
    notSynced: 'Auf einem Gerät gespeichert.',
    connected: 'Verbunden: {time}.',
    remove: 'Entfernen',
    removePasskey: 'Entfernen: Passkey {name}',
    removeProvider: 'Entfernen: {provider}',
    removing: 'Wenn Sie eine Anmeldemöglichkeit entfernen, werden Sie überall abgemeldet.',
    last: 'Das ist Ihre letzte Anmeldemöglichkeit oder ein Passkey, den Ihr Konto braucht. Fügen Sie zuerst eine andere Anmeldemöglichkeit oder einen anderen Passkey hinzu.',
    connect: '{provider} verbinden',
    newPasskey: 'Name eines neuen Passkeys',
    example: 'Mein Laptop',
    addPasskey: 'Passkey hinzufügen',
    passkeyNotAdded: 'Der Passkey wurde nicht hinzugefügt. Bitte versuchen Sie es noch einmal.',
    noPasskeys:
      'Browser bieten unter dieser Adresse keine Passkeys an: Dafür ist https nötig oder der Name {localhost}.',
    confirm: 'Um dies zu ändern, {signIn}.',
    signIn: 'melden Sie sich erneut an',
    signInWithPasskey: 'melden Sie sich erneut mit Ihrem Passkey an',
  },
  firstPasskey: {
    title: 'Passkey hinzufügen',
    why: 'Ihr Konto braucht einen Passkey. Solange es keinen hat, sind Sie nicht angemeldet.',
    whyLink:
      'Der Betreiber dieses Dienstes lässt Sie einen Passkey hinzufügen. Danach sind Sie in jedem Browser abgemeldet.',
    how: 'Ihr Gerät oder Ihr Passwortmanager bewahrt den Passkey auf. Sie bestätigen ihn mit Finger, Gesicht oder PIN und melden sich danach mit ihm an.',
    name: 'Name des Passkeys',
    none: 'Keine Schaltfläche? Dieser Browser kennt keine Passkeys oder führt kein Skript aus. Beginnen Sie in einem anderen noch einmal.',
    over: 'Hier gibt es nichts mehr hinzuzufügen',
    overWhy:
      'Nach einer Anmeldung haben Sie fünf Minuten, um einen ersten Passkey hinzuzufügen. Ein Link gilt einen Tag und für einen einzigen Passkey. Passkey verloren? Bitten Sie den Betreiber dieses Dienstes um einen neuen Link.',
    only: 'Dieses Konto öffnet sich nur mit seinem Passkey. Verloren? Bitten Sie den Betreiber dieses Dienstes um einen Link.',
    notFresh:
      'Ihr Konto braucht einen Passkey. Um einen hinzuzufügen, melden Sie sich erneut an: Diese Anmeldung zeigt nicht, dass Sie in den letzten fünf Minuten da waren.',
    noticeTitle: 'Sie werden einen Passkey brauchen',
    noticeFrom:
      'Ab dem {day} können Sie sich nur noch mit einem Passkey anmelden. Ihr Konto hat noch keinen.',
    noticeAdd: 'Jetzt einen Passkey hinzufügen',
    noticeLater: 'Nicht jetzt',
  },
  failures: {
    title: 'Fehlgeschlagene Anmeldungen',
    app: 'Die App hat einen Fehler gemacht.',
    operator: 'Dieser Dienst ist für diese App nicht eingerichtet.',
    user: 'Die Anmeldung wurde abgebrochen oder nicht rechtzeitig abgeschlossen.',
    network: 'Die App und dieser Dienst haben einander nicht erreicht.',
    server: 'In diesem Dienst ist ein Fehler aufgetreten.',
    hint: 'Geben Sie die Referenz dem Betreiber dieses Dienstes: Er kann herausfinden, was schiefgegangen ist.',
  },
  mails: {
    subject: '{title} bei {brand}',
    news: {
      password_by_user: {
        title: 'Ihr Passwort wurde geändert',
        what: 'Das Passwort Ihres Kontos bei {brand}, {url}, wurde geändert.',
      },
      password_by_mail: {
        title: 'Ihr Passwort wurde geändert',
        what: 'Das Passwort Ihres Kontos bei {brand}, {url}, wurde mit dem Link in einer E-Mail geändert.',
      },
      password_by_operator: {
        title: 'Neues Passwort',
        what: 'Ein Betreiber hat für Ihr Konto bei {brand}, {url}, ein neues Passwort festgelegt.',
      },
      passkey_added: {
        title: 'Neuer Passkey',
        what: 'Zu Ihrem Konto bei {brand}, {url}, wurde ein Passkey hinzugefügt.',
      },
      passkey_removed: {
        title: 'Ein Passkey wurde entfernt',
        what: 'Aus Ihrem Konto bei {brand}, {url}, wurde ein Passkey entfernt.',
      },
      identity_linked: {
        title: 'Neue Anmeldemöglichkeit',
        what: 'Mit Ihrem Konto bei {brand}, {url}, wurde ein Anbieter verbunden.',
      },
      identity_removed: {
        title: 'Eine Anmeldemöglichkeit wurde entfernt',
        what: 'Von Ihrem Konto bei {brand}, {url}, wurde ein Anbieter getrennt.',
      },
      account_admin_added: {
        title: 'Sie sind jetzt Administrator',
        what: 'Ein Betreiber hat Ihrem Konto bei {brand}, {url}, die Rechte eines Administrators gegeben.',
      },
      passkey_required: {
        title: 'Eine Anmeldung wurde verhindert',
        what: 'Jemand hat versucht, sich ohne Passkey bei Ihrem Konto bei {brand}, {url}, anzumelden.',
      },
      request: {
        title: 'Eine App bittet um Ihre Zustimmung',
        what: 'Eine App bittet um Ihre Zustimmung bei {brand}, {url}. Die Anfrage endet nach einigen Minuten.',
      },
      guesses: {
        title: 'Falsche Passwörter für Ihr Konto',
        what: 'Jemand probiert viele falsche Passwörter für Ihr Konto bei {brand}, {url}.',
      },
    },
    provider: 'Anbieter',
    when: 'Zeit',
    browser: 'Browser',
    network: 'Netz',
    byUser:
      'Wenn Sie es waren, brauchen Sie nichts zu tun. Wenn nicht, kann jemand anderes Ihr Konto öffnen: Fordern Sie auf der Anmeldeseite ein neues Passwort an, entfernen Sie Anmeldemöglichkeiten, die Sie nicht kennen, und melden Sie sich überall ab:',
    byOperator: 'Wenn Sie den Grund nicht kennen, fragen Sie den Betreiber. Das ist Ihr Konto:',
    byRequest:
      'Lehnen Sie ab, wenn Sie das nicht erwarten: Die App fragt von sich aus, und jeder kann sie dazu gebracht haben. Melden Sie sich an und antworten Sie hier:',
    byGuessing:
      'Eine Zeit lang müssen Browser warten, in denen Sie sich noch nie angemeldet haben. In jedem anderen Browser, mit einem Passkey, mit einem Anbieter oder mit dem Link von „Passwort vergessen?“ können Sie sich sofort anmelden. Wenn Sie Ihr Passwort auch anderswo verwenden, ändern Sie es:',
    byPasskey:
      'Der Passkey des Kontos fehlte, deshalb wurde niemand angemeldet. Wenn Sie es nicht waren, kennt jemand anderes Ihr Passwort oder hat Zugang zu Ihrem Konto bei einem Anbieter: Ändern Sie das Passwort. Das ist Ihr Konto:',
    tokens: {
      created: {
        title: 'Neues persönliches Zugriffstoken',
        what: 'Für Ihr Konto bei {brand}, {url}, wurde ein persönliches Zugriffstoken erstellt.',
        advice: 'Wenn Sie es nicht waren, widerrufen Sie das Token sofort, und ändern Sie Ihr Passwort:',
      },
      expiring: {
        title: 'Ein persönliches Zugriffstoken läuft bald ab',
        what: 'Ein persönliches Zugriffstoken Ihres Kontos bei {brand}, {url}, das genutzt wird, läuft innerhalb von sieben Tagen ab.',
        advice: 'Erstellen Sie ein neues, wenn Ihr Programm es noch braucht:',
      },
      operator: {
        title: 'Ein persönliches Zugriffstoken wurde widerrufen',
        what: 'Ein Betreiber hat persönliche Zugriffstokens Ihres Kontos bei {brand}, {url}, widerrufen.',
        advice:
          'Ihre anderen Tokens gelten weiter. Wenn Sie den Grund nicht kennen, fragen Sie den Betreiber:',
      },
    },
    tokenOn: '{label}, am {day}',
    reset: {
      subject: 'Neues Passwort für {brand}',
      what: 'Für Ihr Konto bei {brand}, {url}, wurde ein neues Passwort angefordert.',
      open: 'Wenn Sie es waren, öffnen Sie innerhalb von {count} Minuten diesen Link, und legen Sie ein neues Passwort fest. Der Link funktioniert einmal.',
      ignore:
        'Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist. Geben Sie den Link nicht weiter.',
    },
  },
  start: {
    title: 'Mit Ihren Apps anmelden',
    intro:
      'Mit Ihrem Konto hier melden Sie sich in Ihren Apps an. Was Sie ihnen erlaubt haben, sehen Sie in {account}; dort können Sie sie auch trennen.',
    nothingTitle: 'Hier ist nichts',
    nothing: 'Diese Adresse führt nirgendwohin.',
    home: 'Startseite',
    whyTitle: 'Warum hat es nicht funktioniert?',
    why: 'Die Fehlermeldung Ihrer App endet mit einer Referenz wie {example}. Geben Sie sie dem Betreiber dieses Dienstes, der nachsehen kann, was schiefgegangen ist. Sonst kann das niemand: Die Referenz ist kein Geheimnis.',
    whyAccount: 'Was bei Ihnen fehlgeschlagen ist, sehen Sie auch in {account}.',
  },
}
