import type { Language } from '../language.ts'

export const de: Language = {
  tag: 'de',
  name: 'Deutsch',
  lowerCaseInLists: false,
  common: {
    unnamedApp: 'Eine App ohne Namen',
    signedInAs: 'Angemeldet als',
    notYou: 'Nicht Sie?',
  },
  origin: {
    known: 'Überprüft: Ihre Antwort geht an {host} und sonst nirgendwohin.',
    operator: 'Eingerichtet von {brand}.',
    unverified:
      'Nicht überprüft: Die App hat sich diesen Namen selbst gegeben. Fahren Sie nur fort, wenn Sie sie gerade gestartet haben.',
    document:
      'Die App hat sich diesen Namen selbst gegeben. Fahren Sie nur fort, wenn Sie der Stelle vertrauen, die sie beschreibt.',
    loopback:
      'Jedes Programm auf diesem Gerät kann sich als diese App ausgeben. Fahren Sie nur fort, wenn Sie sie gerade gestartet haben.',
  },
  consent: {
    title: 'Zugriff erlauben?',
    expired:
      'Ihre Antwort wurde nicht gezählt: Diese Seite war zu lange geöffnet, oder Sie haben sich inzwischen neu angemeldet. Bitte antworten Sie noch einmal.',
    allowsNothing:
      'Mit dieser Antwort wäre nichts erlaubt. Wählen Sie mindestens eine Berechtigung aus, oder lehnen Sie ab.',
    theApp: 'Die App',
    describedBy: 'Beschrieben unter',
    sendsYouTo: 'Leitet Sie weiter zu',
    onThisDevice: '{host}, auf diesem Gerät',
    details: 'Einzelheiten',
    wholeAddress: 'Vollständige Adresse',
    reference: 'Referenz',
    gains: 'Wer dies bei {host} begonnen hat, kann diesen Zugriff in Ihrem Namen nutzen.',
    gainsReason:
      'Fahren Sie nur fort, wenn Sie es dort gerade selbst begonnen haben. Wenn Ihnen jemand einen Link geschickt hat, lehnen Sie ab.',
    asks: 'Die App möchte in Ihrem Namen Folgendes tun:',
  },
  organization: {
    label: 'Organisation',
    question: 'Für welche Organisation?',
    choose: 'Bitte wählen',
  },
  details: {
    asks: 'Die App bittet um genau das:',
    whole: 'Alles oder nichts: Wenn etwas nicht stimmt, lehnen Sie ab.',
  },
  scopes: {
    permissions: { one: '{count} Berechtigung.', other: '{count} Berechtigungen.' },
    changing: { one: '{count} davon kann etwas ändern.', other: '{count} davon können etwas ändern.' },
    readingOnly: 'Keine davon kann etwas ändern.',
    oneReading: 'Eine Berechtigung, die nichts ändert.',
    oneChanging: 'Eine Berechtigung, die etwas ändern kann.',
    allowedBefore: {
      one: '{count} davon haben Sie schon einmal erlaubt.',
      other: '{count} davon haben Sie schon einmal erlaubt.',
    },
    untick: 'Wählen Sie ab, was Sie nicht wollen.',
    disconnect: 'Sie können die Verbindung jederzeit unter {connectedApps} trennen.',
    toDecision: 'Zur Entscheidung springen',
    general: 'Allgemein',
    canChange: 'Kann etwas ändern',
    before: 'Schon erlaubt',
    needed: 'Erforderlich',
  },
  decision: {
    deny: 'Ablehnen',
    allowReadingOnly: 'Nur Lesen erlauben',
    readingOnly: 'Nur lesen',
    allow: 'Erlauben',
  },
  callback: {
    offer: 'Meine App läuft auf einem anderen Rechner',
    offerWarning:
      'Nur, wenn Sie sie dort selbst gestartet haben. Sie bringen ihr dann eine Adresse, mit der sie angemeldet wird. Wenn jemand anderes Sie um die Adresse gebeten oder Sie hierher geschickt hat, versucht er, auf Ihr Konto zuzugreifen.',
    offerChoice: 'Adresse anzeigen, damit ich sie in meine App einfügen kann',
    title: 'Fügen Sie diese Adresse in Ihre App ein',
    warning: 'Geben Sie sie niemandem, und geben Sie sie auf keiner anderen Seite ein.',
    warningReason: 'Wer sie hat, ist als Sie angemeldet.',
    waits: 'Die App wartet dort auf die Adresse, wo Sie sie gestartet haben.',
    lifetime: {
      one: 'Die Adresse gilt einmal, {count} Sekunde lang.',
      other: 'Die Adresse gilt einmal, {count} Sekunden lang.',
    },
    address: 'Adresse',
    notStarted: 'Wenn Sie die App nicht selbst gestartet haben, schließen Sie diese Seite.',
    thenDisconnect: 'Trennen Sie dann die Verbindung unter {connectedApps}.',
    deniedTitle: 'Es wurde kein Zugriff erteilt',
    denied: 'Sie können die App dort beenden, wo Sie sie gestartet haben, und diese Seite schließen.',
  },
  openApp: {
    title: 'Zurück zu {app}',
    unnamedTitle: 'Zurück zur App',
    allowed: 'Sie haben den Zugriff erlaubt. Ihr Browser öffnet jetzt die App oder fragt Sie vorher.',
    denied: 'Die App hat keinen Zugriff erhalten. Ihr Browser öffnet sie jetzt oder fragt Sie vorher.',
    open: 'App öffnen',
    lifetime: {
      one: 'Wenn sich die App nicht öffnet, klicken Sie auf die Schaltfläche. Sie funktioniert einmal, {count} Sekunde lang.',
      other:
        'Wenn sich die App nicht öffnet, klicken Sie auf die Schaltfläche. Sie funktioniert einmal, {count} Sekunden lang.',
    },
    close: 'Sobald Sie wieder in der App sind, können Sie diese Seite schließen.',
  },
  formPost: {
    text: 'Ihr Browser bringt die Antwort jetzt zur App. Wenn nichts geschieht, klicken Sie auf die Schaltfläche.',
    button: 'Weiter',
  },
  stepUp: {
    title: 'Hier genügt ein Passwort nicht.',
    reason:
      'Die App verlangt eine Anmeldung, die niemand mit einer gefälschten Seite oder einem gestohlenen Passwort nachahmen kann: Verwenden Sie Ihren Passkey.',
    button: 'Mit Passkey anmelden',
    noPasskey:
      'Sie haben noch keinen Passkey? Fügen Sie in {account} einen hinzu und beginnen Sie dann in der App von vorn.',
    account: 'Ihrem Konto',
    unsupported: 'Dieser Browser bietet hier keine Passkeys an. Versuchen Sie es mit einem anderen.',
  },
  signInRefused: {
    denied:
      '{provider} hat Sie nicht angemeldet. Sie können es noch einmal versuchen oder sich anders anmelden.',
    notNow: 'Die Anmeldung mit {provider} funktioniert im Moment nicht.',
    invalid:
      'Die Antwort von {provider} wurde nicht angenommen. Bitte versuchen Sie es noch einmal. Wenn es wieder geschieht, wenden Sie sich an den Betreiber dieses Dienstes.',
    expired:
      'Diese Anmeldung hat zu lange gedauert oder in einem anderen Fenster begonnen. Bitte versuchen Sie es noch einmal.',
    notFresh:
      'Sie müssen sich neu anmelden, und {provider} hat keine neue Anmeldung bestätigt. Bitte melden Sie sich anders an.',
    tooLong:
      'Die Anfrage der App ist zu lang für diesen Weg der Anmeldung. Wählen Sie einen anderen, oder beginnen Sie in der App neu.',
    signUpOff:
      'Mit Ihrem Konto bei {provider} können Sie sich hier nicht anmelden. Bitten Sie den Betreiber dieses Dienstes um Zugang.',
    emailMissing:
      '{provider} hat Ihre E-Mail-Adresse nicht übermittelt. Wenden Sie sich an den Betreiber dieses Dienstes.',
    emailUnverified:
      '{provider} hat Ihre E-Mail-Adresse nicht bestätigt. Wenden Sie sich an den Betreiber dieses Dienstes.',
    domainNotAllowed: 'Hier können sich Konten von {domains} anmelden; Ihres ist von {domain}.',
    tenantNotAllowed:
      'Ihre Organisation bei {provider} kann sich hier nicht anmelden. Wenden Sie sich an den Betreiber dieses Dienstes.',
    groupMissing:
      'Ihr Konto bei {provider} ist in keiner Gruppe, die sich hier anmelden kann. Wenden Sie sich an den Betreiber dieses Dienstes.',
    groupsOverage:
      '{provider} hat nicht mitgeteilt, in welchen Gruppen Sie sind, weil es zu viele sind. Wenden Sie sich an den Betreiber dieses Dienstes.',
    emailInUse:
      'Es gibt hier ein Konto mit dieser E-Mail-Adresse. Wenn es Ihres ist, melden Sie sich dort an und verbinden Sie es mit {provider}.',
    identityInUse: 'Ihr Konto bei {provider} ist mit einem anderen Konto hier verbunden.',
    adminRefused:
      '{provider} ist für das Konto eines Administrators nicht sicher genug. Bitte melden Sie sich auf andere Weise an.',
    accountDisabled:
      'Mit Ihrem Konto hier können Sie sich nicht anmelden. Wenden Sie sich an den Betreiber dieses Dienstes.',
  },
  device: {
    codeTitle: 'Gerät verbinden',
    codeWrong:
      'Dieser Code ist nicht oder nicht mehr gültig. Sehen Sie noch einmal auf Ihrem Gerät nach, oder beginnen Sie dort neu.',
    code: 'Code',
    codeWhere: 'Den Code zeigt Ihr Gerät an oder das Programm, das Sie gerade darauf gestartet haben.',
    codeFromLink:
      'Der Code stammt aus einem Link. Fahren Sie nur fort, wenn Ihr eigenes Gerät jetzt denselben Code anzeigt.',
    continue: 'Weiter',
    codeSent:
      'Wenn Ihnen jemand einen Code oder einen Link geschickt hat, schließen Sie diese Seite: Er bekäme damit Zugang.',
    title: 'Einem anderen Gerät Zugriff geben?',
    warning: 'Wenn Ihnen jemand diesen Code geschickt hat, lehnen Sie ab.',
    warningReason:
      'Sie melden sich hier nicht an: Sie lassen ein anderes Gerät in Ihrem Namen handeln, wo immer es ist und wer immer es in der Hand hat.',
    theDevice: 'Das Gerät',
    itsCode: 'Sein Code',
    started: 'Begonnen',
    sameNetwork: '{ago}, aus dem Netz, in dem Sie sind',
    otherNetwork: '{ago}, aus einem anderen Netz als Ihrem',
    unknownNetwork: '{ago}, aus einem unbekannten Netz',
    asks: 'Das Gerät möchte in Ihrem Namen Folgendes tun:',
    allowedTitle: 'Das Gerät hat Zugriff',
    allowed:
      'Gehen Sie zurück zum Gerät: {app} macht dort in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.',
    notYours:
      'Wenn Sie dies nicht auf einem eigenen Gerät begonnen haben, trennen Sie die Verbindung jetzt unter {connectedApps}.',
    deniedTitle: 'Es wurde kein Zugriff erteilt',
    denied: '{app} bekommt auf dem Gerät keinen Zugriff. Sie können diese Seite schließen.',
  },
  requests: {
    title: 'Anfragen',
    intro:
      'Apps, die ohne Ihren Browser für Sie arbeiten, fragen hier nach. Eine Anfrage endet nach einigen Minuten.',
    none: 'Es wartet keine Anfrage auf Sie.',
    view: 'Anfrage ansehen',
    quoted: '„{message}“',
    unanswered: 'Apps, deren Anfrage ohne Antwort endete',
    silence: 'Nicht mehr fragen lassen',
    silenced: 'Apps, die Sie nicht fragen dürfen',
    letAsk: 'Wieder fragen lassen',
    askTitle: 'Eine App bittet um Ihre Zustimmung',
    warning: 'Lehnen Sie ab, wenn Sie das nicht erwarten.',
    warningReason: 'Sie haben das hier nicht begonnen: Die App fragt von sich aus, wann sie will.',
    theApp: 'Die App',
    says: 'Die App sagt',
    asked: 'Gefragt',
    askedFrom: '{ago}, aus dem Netz {network}',
    asks: 'Die App möchte in Ihrem Namen Folgendes tun:',
    never: 'Wenn ich ablehne: Diese App darf mich nicht mehr fragen',
    allowedTitle: 'Die App hat Zugriff',
    allowed: '{app} macht in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.',
    mistake: 'Wenn das ein Versehen war, trennen Sie die Verbindung jetzt unter {connectedApps}.',
    deniedTitle: 'Es wurde kein Zugriff erteilt',
    denied: '{app} bekommt keinen Zugriff. Sie können diese Seite schließen.',
    blocked: '{app} darf Sie bis {time} nicht fragen. Das können Sie auf der Seite der Anfragen ändern.',
    once: {
      allowedTitle: 'Einmal erlaubt',
      allowed:
        'Das darf einmal geschehen, in den nächsten Minuten. {app} hat dadurch keinen weiteren Zugriff bekommen. Sie können diese Seite schließen.',
      deniedTitle: 'Abgelehnt',
      denied: 'Es wird nicht ausgeführt. Sie können diese Seite schließen.',
    },
  },
  logout: {
    title: 'Abmelden?',
    askedByApp: 'Eine App, die sich {app} nennt, möchte Sie von {brand} abmelden.',
    askedByLink: 'Ein Link möchte Sie von {brand} abmelden.',
    appsKeepAccess:
      'Apps, die Sie schon erlaubt haben, behalten ihren Zugriff, auch auf der Kommandozeile, außer denen, die mit Ihrer Anmeldung enden.',
    disconnect: 'Sie können die Verbindungen unter {connectedApps} trennen.',
    signOut: 'Abmelden',
    stay: 'Angemeldet bleiben',
    signedOutTitle: 'Sie sind abgemeldet',
  },
  connectedApps: {
    title: 'Verbundene Apps',
    intro: 'Wenn Sie eine App trennen, verliert sie sofort ihren Zugriff und muss Sie erneut fragen.',
    used: 'Als genutzt gilt eine App, wenn sie ihren Zugriff erneuert: etwa einmal pro Stunde, solange sie läuft.',
    none: 'Keine App kann etwas in Ihrem Namen tun.',
    noneHere: 'Auf dieser Seite stehen keine Apps.',
    expired:
      'Es wurde nichts geändert: Diese Seite war zu lange geöffnet, oder Sie haben sich inzwischen neu angemeldet. Bitte versuchen Sie es noch einmal.',
    disconnected: 'Die Verbindung ist getrennt: {app} kann nichts mehr in Ihrem Namen tun.',
    named: 'Die App heißt hier jetzt {app}.',
    unregistered: 'Eine App, die nicht mehr registriert ist',
    callsItself: 'Die App nennt sich selbst {app}.',
    unverified: 'Die App hat sich diesen Namen selbst gegeben.',
    runsOn: 'Läuft auf',
    otherDevice: 'einem anderen Gerät',
    otherDeviceFrom: 'einem anderen Gerät, das aus dem Netz {network} angefragt hat',
    allowedBy: 'Erlaubt von',
    verifiedAddress: 'Überprüfte Adresse',
    firstUsed: 'Zuerst genutzt',
    lastUsed: 'Zuletzt genutzt',
    mayDo: 'Was sie tun darf',
    yourName: 'Ihr Name für die App',
    yourNameFor: 'Ihr Name für {app}',
    save: 'Speichern',
    disconnect: 'Trennen',
    disconnectApp: '{app} trennen',
    installations: { one: '{count} Installation.', other: '{count} Installationen.' },
    disconnectAll: { other: 'Alle {count} trennen' },
    disconnectAllOf: '{all}: Installationen von {app}',
    pages: 'Seiten',
    firstPage: 'Erste Seite',
    nextPage: 'Nächste Seite',
  },
  personalTokens: {
    title: 'Persönliche Zugriffstokens',
    intro:
      'Für ein Skript oder einen Build-Server, wo kein Browser Sie anmelden kann. Wer ein Token hat, kann in Ihrem Namen tun, was es erlaubt.',
    none: 'Sie haben keine Tokens.',
    made: 'Ihr Token {label}',
    copyNow: 'Kopieren Sie es jetzt: Es wird nicht noch einmal angezeigt.',
    secret:
      'Bewahren Sie es auf wie ein Passwort. Schreiben Sie es nicht in Quelltext, und geben Sie es niemandem.',
    token: 'Token',
    copy: 'Kopieren',
    copied: 'Kopiert',
    make: 'Neues Token',
    name: 'Name',
    nameHint: 'Für Sie selbst, zum Beispiel das Programm und der Rechner.',
    mayDo: 'Was es tun darf',
    worksAt: 'Wo es gilt',
    expiresAfter: 'Läuft ab nach',
    days: { one: '{count} Tag', other: '{count} Tagen' },
    submit: 'Token erstellen',
    created: 'Erstellt',
    expires: 'Läuft ab',
    never: 'nie',
    expiresSoon: 'Läuft bald ab',
    lastUsed: 'Zuletzt genutzt',
    notYet: 'noch nie',
    usedFrom: '{time}, aus dem Netz {network}',
    end: 'Widerrufen',
    endToken: '{label} widerrufen',
    ended: 'Das Token {label} ist widerrufen. Es gilt nirgends mehr.',
    notFresh: 'Um ein Token zu erstellen, bestätigen Sie, dass Sie es sind.',
    signInAgain: 'Erneut anmelden',
    expired:
      'Es wurde nichts geändert: Diese Seite war zu lange geöffnet, oder Sie haben sich inzwischen neu angemeldet. Bitte versuchen Sie es noch einmal.',
    incomplete:
      'Es wurde kein Token erstellt. Geben Sie ihm einen Namen mit höchstens 60 Zeichen, und wählen Sie aus, was es tun darf und wo es gilt.',
    full: 'Es wurde kein Token erstellt: Sie haben so viele, wie eine Person haben darf. Widerrufen Sie eines, das Sie nicht mehr brauchen.',
    back: 'Zurück zu Ihrem Konto',
  },
  error: {
    title: 'Diese Anfrage kann nicht beantwortet werden',
    unavailableTitle: 'Das geht im Moment nicht',
    unavailable: 'Bitte versuchen Sie es gleich noch einmal.',
    tellProgram:
      'Wenn das wieder geschieht, geben Sie den Text unten an die App weiter oder an die Leute, die sie entwickeln.',
    reference: 'Wenn Sie um Hilfe bitten, geben Sie diese Referenz an: {reference}',
    forDeveloper: 'Text für die App und ihre Entwickler',
  },
  advice: {
    appMistake:
      'Die App, die Sie hierher geschickt hat, hat einen Fehler gemacht. Gehen Sie zu ihr zurück, und versuchen Sie es noch einmal.',
    appUnknown: '{brand} kennt diese App nicht. Gehen Sie zu ihr zurück, und melden Sie sich neu an.',
    appNotDescribed:
      'Die App nennt eine Adresse, unter der sie beschrieben sei, und dort ist sie es nicht. Gehen Sie zur App zurück, und versuchen Sie es noch einmal.',
    appNotAccepted: '{brand} lässt diese App so nicht zu. Wenden Sie sich an den Betreiber von {brand}.',
    redirectAddress:
      'Die App möchte die Antwort an einer Adresse erhalten, die nicht für sie registriert ist. Sie wurden nicht dorthin geleitet. Entfernen Sie die Verbindung in der App, und fügen Sie sie neu hinzu: Dann registriert die App die neue Adresse.',
    redirectNotAllowed:
      'Die App möchte die Antwort an einer Adresse erhalten, die {brand} nicht zulässt. Sie wurden nicht dorthin geleitet. Nur der Betreiber von {brand} kann sie zulassen.',
    requestExpired: 'Das hat zu lange gedauert. Gehen Sie zur App zurück, und beginnen Sie neu.',
    requestUnknown:
      'Der Link, mit dem die App Sie geschickt hat, ist nicht gültig. Gehen Sie zur App zurück, und beginnen Sie neu.',
    requestAnswered: 'Sie haben schon geantwortet. Gehen Sie zur App zurück.',
    signInNeeded: 'Die App wollte fortfahren, ohne Sie zu fragen, aber Sie sind hier nicht angemeldet.',
    signInDeclined:
      'Sie haben sich nicht angemeldet. Sie können dieses Fenster schließen und zur App zurückkehren.',
    otherSite:
      'Eine andere Website hat dieses Formular gesendet, deshalb wurde nichts entschieden. Schließen Sie jene Website.',
    tooManyApps:
      'Es wurden zu viele unbekannte Apps versucht. Warten Sie eine Weile, und versuchen Sie es dann noch einmal.',
    tooManyCodes:
      'Es wurden zu viele Codes versucht. Warten Sie einige Minuten, und sehen Sie sich den Code auf Ihrem Gerät noch einmal an.',
    deviceExpired: 'Das hat zu lange gedauert. Beginnen Sie auf dem Gerät neu.',
    deviceAnswered: 'Sie haben schon geantwortet. Gehen Sie zum Gerät zurück.',
    deviceFormExpired:
      'Diese Seite war zu lange geöffnet, oder Sie haben sich inzwischen neu angemeldet. Es wurde nichts entschieden: Öffnen Sie sie erneut, und geben Sie den Code noch einmal ein.',
    choiceMissing: 'Eine Auswahl fehlte, deshalb wurde nichts entschieden. Gehen Sie zurück und wählen Sie.',
    notMember: 'Sie gehören nicht zu dieser Organisation.',
    noOrganization: 'Sie gehören zu keiner Organisation, und dieser Server verlangt eine.',
    notShown: 'Die Seite hat nicht alles gezeigt, worum die App bittet. Beginnen Sie in der App neu.',
    requestDecided: 'Sie haben schon geantwortet. Es ist nichts weiter zu tun.',
    requestEnded: 'Die Anfrage ist beendet. Wenn Sie zustimmen möchten, muss die App erneut fragen.',
    requestFormExpired: 'Es wurde nichts entschieden: Öffnen Sie die Seite der Anfragen erneut.',
    noRequest: 'Sie haben keine solche Anfrage. Melden Sie sich als die Person an, die die App gefragt hat.',
    signOutUnproven: 'Die Abmeldeanfrage der App ist nicht gültig, deshalb sind Sie weiterhin angemeldet.',
    signOutAppUnknown:
      'Die Anfrage nannte keine App, deshalb wurden Sie nicht zu ihr zurückgeleitet. Sie sind weiterhin angemeldet.',
    signOutAddress:
      'Die App möchte Sie an eine Adresse zurückleiten, die nicht für sie registriert ist. Sie wurden nicht dorthin geleitet und sind weiterhin angemeldet.',
    signOutFormExpired:
      'Diese Seite war zu lange geöffnet, oder Sie haben sich inzwischen ab- oder neu angemeldet. Es ist jetzt nichts geschehen.',
  },
}
