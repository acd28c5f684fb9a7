public import ChatEngine
public import ChatStore
internal import EndToEndEncryption
internal import Localization
public import XMPPAddress

/// Texts about end-to-end encryption.
extension Wording {
    // MARK: Messages

    /// The protection of a message, in a few words.
    public static func protection(_ mark: ProtectionMark) -> String {
        switch mark {
        case .encrypted: localized("Encrypted")
        case .partly: localized("Encrypted, but not readable on all devices")
        case .verified: localized("Encrypted, key verified")
        case .untrusted: localized("Encrypted with a key that you do not trust")
        case .clear: localized("Not encrypted")
        case .notOpened: localized("Could not be decrypted")
        }
    }

    /// The protection of a message of ours and the devices that cannot decrypt it, for a tooltip.
    public static func protection(of message: TimelineMessage) -> String? {
        guard let mark = message.mark else { return nil }
        let lines = message.unreadable.prefix(unreadableLimit).map { recipient in
            let device = recipient.device.map { " · " + Self.device(named: $0) } ?? ""
            return "\(recipient.address.description)\(device): \(unreadable(recipient.code))"
        }
        guard !lines.isEmpty else { return protection(mark) }
        return ([protection(mark), localized("Not readable for:")] + lines).joined(separator: "\n")
    }

    /// The number of devices in a tooltip.
    private static let unreadableLimit = 5

    /// A change of the encryption in a timeline, or an answer of the contact.
    public static func notice(_ notice: TimelineNotice) -> String {
        let name = notice.name ?? ""
        return switch notice.kind {
        case .began: localized("Messages are encrypted from here on")
        case .ended: localized("You have turned encryption off: messages are not encrypted from here on")
        case .newDevice where notice.isOwn:
            localized("Your account uses a new device, which can read messages from here on.")
        case .newDevice: localized("%@ uses a new device, which can read messages from here on.", name)
        case .newKey where notice.isOwn:
            localized("Your account uses a new key. Nothing is encrypted for it until you decide.")
        case .changedKey where notice.isOwn:
            localized("The key of one of your devices has changed. Nothing is encrypted for it until you decide.")
        case .optOut: localized("%@ asks you to write without encryption. Nothing is sent until you decide.", name)
        case .newKey: localized("%@ uses a new key. Nothing is encrypted for it until you decide.", name)
        case .changedKey:
            localized("The key of a device of %@ has changed. Nothing is encrypted for it until you decide.", name)
        case .contactAccepted: answer(.accepted, of: name)
        case .contactDeclined: answer(.declined, of: name)
        case .contactEnded: answer(.ended, of: name)
        }
    }

    // MARK: Before sending

    /// What a symbol beside the input field means, in a few words.
    public static func sign(_ sign: EncryptionModel.Sign) -> String {
        switch sign {
        case .encrypted: localized("Encrypted")
        case .partly: localized("Encrypted, but not readable on all devices")
        case .clear: localized("Not encrypted")
        case .refused: localized("Cannot be sent encrypted")
        case .unknown: localized("Whether it will be encrypted is not known yet")
        }
    }

    /// What happens to a message that is sent now, and why, in one or two sentences.
    ///
    /// - Parameter name: of the contact or the room.
    public static func forecast(_ forecast: EncryptionForecast?, with name: String, in kind: ConversationKey.Kind)
        -> String
    {
        guard let forecast else { return localized("The devices of the recipients are being requested.") }
        switch forecast.outcome {
        case .encrypted where !forecast.unreadable.isEmpty:
            return localized("The servers cannot read your messages. These devices cannot either:")
        case .encrypted:
            return kind == .room
                ? localized("Only the members of the room can read your messages. The servers cannot.")
                : localized("Only you and %@ can read your messages. The servers cannot.", name)
        case .clear(let reason):
            let why = clear(reason, forecast, kind == .direct ? name : nil)
            return joined(why, localized("The servers can read your messages."))
        case .refused(let code): return refusal(code, forecast.wasEncrypted, name)
        case .waits(let code): return waiting(code)
        case .unknown:
            return localized("While the account is offline, the devices of the recipients cannot be requested.")
        case .stranger:
            return localized(
                "%@ is not a contact and learns nothing before you write. The devices are requested when you do.", name)
        }
    }

    /// Sentences after each other: Chinese has no space between them.
    private static func joined(_ first: String, _ second: String) -> String { localized("%@ %@", first, second) }

    private static func clear(
        _ reason: EncryptionForecast.ClearReason, _ forecast: EncryptionForecast, _ name: String?
    ) -> String {
        switch reason {
        case .policy where forecast.isOwnPolicy: localized("You have turned encryption off for this conversation.")
        case .policy: localized("Encryption is turned off for this account.")
        case .withoutEncryption: localized("This account does not use encryption. You can turn it on in its settings.")
        case .noDevice(let addresses): withoutDevice(addresses, name)
        case .room(let code): room(code)
        }
    }

    private static func withoutDevice(_ addresses: [JID], _ name: String?) -> String {
        guard let first = addresses.first else { return localized("There is no device that can decrypt.") }
        if addresses.count == 1 { return localized("%@ has no device that can decrypt.", name ?? first.description) }
        return localized(
            "%@ member has no device that can decrypt.", plural: "%@ members have no device that can decrypt.",
            count: addresses.count)
    }

    private static func room(_ code: ProtectionError.Code) -> String {
        switch code {
        case .anonymousRoom: localized("The room hides the addresses of its members.")
        case .publicRoom: localized("Anybody can enter the room.")
        case .privateRoomMessage: localized("Private messages in rooms cannot be encrypted.")
        case .tooManyRecipients: localized("The room has too many members to encrypt for each of them.")
        default: localized("The room does not show its members to you.")
        }
    }

    /// Why nothing is sent, and what the user can do.
    private static func refusal(_ code: ProtectionError.Code, _ wasEncrypted: Bool, _ name: String) -> String {
        let advice: String
        let reason: String
        switch code {
        case .undecided:
            reason = localized("%@ has a new key, and you have not decided whether you trust it.", name)
            advice = localized("Look at the devices and decide.")
        case .distrusted:
            reason = localized("You do not trust the devices of %@.", name)
            advice = localized("Look at the devices if you want to change that.")
        case .anonymousRoom, .publicRoom, .privateRoomMessage, .tooManyRecipients, .membersUnknown:
            reason = room(code)
            advice = localized("Choose “Never” if you want to send without encryption.")
        case .optedOut:
            reason = localized("%@ asks you to write without encryption.", name)
            advice = localized("Choose “Never” to do so, or “Always” to keep encrypting.")
        case .ownKeys:
            reason = localized("The keys of this computer could not be read.")
            advice = localized("Start the program again.")
        default:
            reason = localized("%@ has no device that can decrypt.", name)
            advice = localized("Choose “Never” if you want to send without encryption.")
        }
        let notSent = localized("Your messages are not sent.")
        return joined(joined(reason, notSent), advice)
    }

    private static func waiting(_ code: ProtectionError.Code) -> String {
        switch code {
        case .membersUnknown: localized("The members of the room are not known yet; messages wait until they are.")
        default: localized("The keys cannot be requested at the moment; messages wait until they can.")
        }
    }

    /// The account whose device will not be able to read a message: a conversation of two people names them, a room
    /// has addresses.
    ///
    /// - Parameter name: of the contact.
    public static func owner(
        of recipient: ProtectionError.Recipient, name: String, in conversation: ConversationKey
    ) -> String {
        guard conversation.kind == .direct else { return recipient.address.description }
        return recipient.address.bare == conversation.address.bare ? name : localized("You")
    }

    /// Why a device, or an account without any, will not be able to read a message.
    public static func unreadable(_ code: ProtectionError.Code) -> String {
        switch code {
        case .noDevice: localized("No device that can decrypt")
        case .unused: localized("Unused for a month, and you have excluded such devices")
        case .undecided: localized("New key: not decided yet")
        case .distrusted: localized("Not trusted")
        case .unreachable: localized("Its keys cannot be requested now")
        case .bundleMissing: localized("Has not published its keys")
        case .bundleDamaged: localized("Its keys are damaged")
        case .keysForbidden: localized("Its server does not give out the keys")
        case .forged: localized("Its key belongs to another account")
        case .notCarried: localized("Its program cannot decrypt this")
        case .tooManyDevices, .listDamaged: localized("Its list of devices cannot be read")
        default: localized("Cannot decrypt")
        }
    }

    /// A policy as a choice.
    public static func policy(_ policy: EncryptionPolicy) -> String {
        switch policy {
        case .always: localized("Always")
        case .whenPossible: localized("When possible")
        case .never: localized("Never")
        }
    }

    // MARK: Devices

    /// A device by its number or the beginning of its fingerprint.
    public static func device(named text: String) -> String {
        localized("Device %@", text.count > 16 ? String(text.prefix(8)) + "…" : text)
    }

    /// The trust in the key of a device.
    public static func trust(_ trust: DeviceTrust) -> String {
        switch trust {
        case .undecided: localized("New: not decided yet")
        case .distrusted: localized("Not trusted")
        case .trusted: localized("Trusted, not compared")
        case .verified: localized("Verified")
        }
    }

    /// What its owner calls a device, and its number. Many programs give all devices the same name, and other texts have
    /// only the number.
    public static func name(_ device: EncryptionDevice) -> String {
        if let label = device.label, !label.allSatisfy(\.isWhitespace) { return "\(label) · \(device.device)" }
        return Self.device(named: String(device.device))
    }

    /// The trust in a device, when it was used last, and what is unusual about it.
    ///
    /// - Parameter now: decides between a time and a date.
    public static func facts(_ device: EncryptionDevice, now: MessageTime) -> [String] {
        if device.isThisDevice {
            return [localized("This device")]
                + (device.isAnnounced == false ? [localized("not announced yet")] : [])
        }
        var facts = [device.fingerprint == nil ? localized("Its key was not published") : trust(device.trust)]
        if device.isAnnounced == false { facts.append(localized("no longer announced")) }
        if device.isUnused {
            facts.append(localized("unused for a month"))
        } else if let seen = device.lastSeen {
            facts.append(lastUse(seen, now: now))
        }
        if device.generations == [.legacy] { facts.append(localized("only the old kind of encryption")) }
        return facts
    }

    /// The engine stores the day of the last use only.
    private static func lastUse(_ time: MessageTime, now: MessageTime) -> String {
        now.millisecondsSince1970 - time.millisecondsSince1970 < 86_400_000
            ? localized("last used today") : localized("last used: %@", short(time, now: now.date))
    }

    /// A fingerprint in two groups per line, for a comparison by eye or voice.
    ///
    /// - Parameter space: between two groups. In a proportional font a common space is hard to see between digits.
    public static func lines(_ groups: [String], perLine: Int = 2, space: String = " ") -> String {
        stride(from: 0, to: groups.count, by: perLine).map {
            groups[$0..<min($0 + perLine, groups.count)].joined(separator: space)
        }.joined(separator: "\n")
    }

    /// What came of a verification link.
    public static func verification(_ outcome: VerificationOutcome, of address: JID) -> String {
        guard outcome.contradicting.isEmpty else {
            return localized(
                "The link contradicts the keys that are known of %@, so nothing was changed. Another person may be listening in: compare the fingerprints in person.",
                address)
        }
        var sentences: [String] = []
        if !outcome.verified.isEmpty {
            sentences.append(
                localized(
                    "%@ key is verified.", plural: "%@ keys are verified.", count: outcome.verified.count))
        }
        if !outcome.distrusted.isEmpty {
            sentences.append(
                localized(
                    "%@ key is no longer trusted.", plural: "%@ keys are no longer trusted.",
                    count: outcome.distrusted.count))
        }
        if !outcome.unknown.isEmpty {
            sentences.append(
                localized(
                    "%@ key of the link was never seen at this account.",
                    plural: "%@ keys of the link were never seen at this account.", count: outcome.unknown.count))
        }
        guard let first = sentences.first else { return localized("The link names no keys.") }
        return sentences.dropFirst().reduce(first) { joined($0, $1) }
    }

    /// Why an action on keys failed.
    public static func failure(_ error: ProtectionError) -> String {
        switch error.code {
        case .unreachable: localized("This needs a connection; try again when the account is online.")
        case .publishingRefused: localized("The server does not allow it.")
        case .ownKeys where error.isTemporary: localized("The keys of this computer are not loaded yet. Try again.")
        case .ownKeys: localized("The keys of this computer could not be read.")
        default: localized("Couldn't do that.")
        }
    }
}
