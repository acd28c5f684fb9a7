internal import ChatModel
internal import ChatStore

extension ChatCommand {
    /// The commands in the order of `/help`.
    static let all: [ChatCommand] = [
        // An action is a message that begins with these letters (XEP-0245).
        .attempt("/me", "TEXT", "say what you do: “/me waves” is shown with your name") {
            await $0.messages.send($1.line)
        },
        .command("/picture", "FILE", "send a picture", completes: .file) { $0.files.send($1.text, isPicture: true) },
        .command("/voice", "[FILE]", "send a voice message: a sound file, or record one", completes: .file) {
            if let file = $1.argument { $0.files.sendVoice(file) } else { $0.voice.record() }
        },
        .command("/file", "FILE", "send a file as it is", completes: .file) {
            $0.files.send($1.text, isPicture: false)
        },
        .command("/play", "[FILE]", "play the last voice message, or this one", completes: .file) {
            $0.voice.play($1.argument)
        },
        .command("/get", "", "download the last file that was not downloaded automatically") { chat, _ in
            chat.files.fetch()
        },
        .command("/decline", "", "decline the last file that a contact offers") { chat, _ in chat.files.decline() },
        .attempt(
            "/reply", "[NUMBER] TEXT", "reply to the last received message, or with a number to an earlier one"
        ) {
            let (number, text) = $1.reply
            return await $0.messages.reply(number, text)
        },
        .attempt("/edit", "TEXT", "edit your last message") { await $0.messages.edit($1.text) },
        .command("/delete", "", "retract your last message") { chat, _ in await chat.messages.deleteLast() },
        .command("/react", "[EMOJI]", "react to the last received message, or remove the reaction") {
            await $0.messages.react($1.argument)
        },
        .command("/retry", "", "send failed messages of this conversation again") { chat, _ in
            await chat.messages.retry()
        },
        .command("/search", "WORDS", "search in this conversation") { await $0.conversations.search($1.text) },
        .command("/join", "ROOM [NICK]", "join a room") {
            let (room, nickname) = $1.words
            $0.rooms.join(room, nickname: nickname)
        },
        .command("/who", "", "who is in the room") { chat, _ in await chat.rooms.showOccupants() },
        .command("/leave", "", "leave the room permanently") { chat, _ in await chat.rooms.leave() },
        .command("/nick", "NICK", "change your nickname in the room") { $0.rooms.changeNickname(to: $1.text) },
        .command("/topic", "[TEXT]", "show the topic of the room, or change it") { $0.rooms.topic($1.argument) },
        .command("/invite", "NAME [TEXT]", "invite someone to the room", completes: .contact) {
            $0.rooms.invite($1.text)
        },
        .command("/kick", "NICK [TEXT]", "remove someone from the room", completes: .occupant) {
            $0.rooms.removeOccupant($1.text, isBan: false)
        },
        .command("/ban", "NICK [TEXT]", "ban someone from the room permanently", completes: .occupant) {
            $0.rooms.removeOccupant($1.text, isBan: true)
        },
        .command(
            "/moderate", "[NUMBER] [TEXT]",
            "as a moderator, delete the last received message for everyone, or an earlier one"
        ) {
            let (number, reason) = $1.numbered
            await $0.rooms.moderate(number ?? 1, reason: reason)
        },
        .command("/keys", "[ADDRESS]", "the devices of this conversation, with the fingerprints of their keys") {
            $0.encryption.showKeys($1.argument)
        },
        .command(
            "/verify", "NUMBER|FINGERPRINT|LINK", "mark a key as compared with the one on the other device",
            short: "NUMBER"
        ) { $0.encryption.decide(.verified, $1.text) },
        .command("/trust", "NUMBER|FINGERPRINT", "encrypt for a device without comparing its key", short: "NUMBER") {
            $0.encryption.decide(.trusted, $1.text)
        },
        .command("/distrust", "NUMBER|FINGERPRINT", "encrypt nothing for a device", short: "NUMBER") {
            $0.encryption.decide(.distrusted, $1.text)
        },
        .attempt(
            "/encryption", "[always|when-possible|never|default]",
            "whether this conversation is encrypted, and who cannot read it; or decide"
        ) { await $0.encryption.encryption($1.argument) },
        .command("/status", "[online|chat|away|xa|dnd] [TEXT]", "how your contacts see you") {
            let (show, text) = $1.status
            await $0.contacts.appear(show, text)
        },
        .attempt("/autoaway", "[MINUTES]", "after how many minutes without a key you are shown as away; 0 is never") {
            $0.contacts.minutesUntilAway($1.argument)
        },
        .command("/contacts", aliases: ["/friends"], "", "the list of contacts") { chat, _ in
            await chat.conversations.showContacts()
        },
        .attempt("/chat", "[NAME]", "open another conversation", completes: .contact) {
            await $0.conversations.open(named: $1.argument)
        },
        .command("/unread", "", "the conversations with unread messages") { chat, _ in
            chat.conversations.showUnread()
        },
        .command("/add", "ADDRESS [NAME]", "send a contact request", short: "ADDRESS") {
            let (address, name) = $1.words
            $0.contacts.add(address, name: name)
        },
        .command("/accept", "[ADDRESS]", "accept a contact request") {
            $0.contacts.answer($1.argument, accepting: true)
        },
        .command("/reject", "[ADDRESS]", "decline a contact request") {
            $0.contacts.answer($1.argument, accepting: false)
        },
        .command("/remove", "[ADDRESS]", "remove a contact", completes: .contact) { $0.contacts.remove($1.argument) },
        .command("/block", "[ADDRESS]", "block someone, or the contact of this conversation", completes: .contact) {
            $0.contacts.block($1.argument)
        },
        .command("/unblock", "ADDRESS", "unblock someone") { $0.contacts.unblock($1.text) },
        .command(
            "/commands", "[ADDRESS]", "the commands of a bot or server, or of the contact of this conversation"
        ) { $0.bots.list($1.argument) },
        .command("/run", "NUMBER|NAME", "execute one of the listed commands", short: "NUMBER") {
            $0.bots.run($1.text)
        },
        .command("/help", "", "this list") { chat, _ in
            chat.console.showNotice(helpText(encrypts: chat.models.account.encryption != nil))
        },
        .command("/quit", aliases: ["/exit"], "", "sign off and quit") { chat, _ in chat.quit() },
    ]
}
