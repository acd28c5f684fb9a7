internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// End-to-end encryption in the open conversation: what happens to the next message, and the keys of its devices.
@MainActor
final class EncryptionCommands {
    private let models: AccountModels
    private let console: ChatConsole
    /// The devices of the last `/keys`, whose numbers other commands take.
    private var listedKeys: (address: JID, devices: [EncryptionDevice])?

    init(_ models: AccountModels, _ console: ChatConsole) {
        self.models = models
        self.console = console
    }

    // MARK: The next message

    /// Says once why messages are not sent, or for which devices they are not readable; the mark before the input shows
    /// the rest.
    func showNews() {
        guard let pane = models.conversation else { return }
        let model = pane.encryption
        guard model.isAvailable, let forecast = model.forecast else { return }
        switch model.sign {
        case .encrypted, .clear: pane.shownForecast = nil
        case .unknown: break
        case .partly, .refused:
            let text = lines(forecast, pane.key).joined(separator: "\n")
            guard text != pane.shownForecast else { return }
            pane.shownForecast = text
            console.showNotice(text)
        }
    }

    /// What happens to the next message, and below it the devices that cannot read it.
    private func lines(_ forecast: EncryptionForecast, _ key: ConversationKey) -> [String] {
        let sentence = Wording.forecast(forecast, with: models.name(of: key), in: key.kind)
        let omitted = forecast.unreadable.prefix(Self.omittedLimit).map { "  " + Wording.unreadable($0) }
        let more = forecast.unreadable.count - omitted.count
        let rest = more > 0 ? [localized("  … and %@ more", plural: "  … and %@ more", count: more)] : []
        return [sentence] + omitted + rest
    }

    /// The maximum number of devices that are named in a line of the program.
    private static let omittedLimit = 20

    /// Shows whether the conversation is encrypted, or decides for it.
    ///
    /// - Returns: `false` for an unknown policy.
    func encryption(_ text: String?) async -> Bool {
        guard let pane = models.conversation else {
            console.showNotice(localized("Open a conversation first."))
            return true
        }
        let model = pane.encryption
        if let text {
            let policy = EncryptionPolicy(word: text)
            guard policy != nil || text == "default" else {
                console.showNotice(localized("Type %@.", "/encryption always|when-possible|never|default"))
                return false
            }
            guard model.isAvailable else {
                showOff()
                return true
            }
            await model.setPolicy(policy)
            if let failure = model.failure { console.showHarmless(failure) }
            model.clearFailure()
        } else {
            await model.refresh()
        }
        showForecast(of: pane)
        return true
    }

    private func showForecast(of pane: ConversationPane) {
        guard let forecast = pane.encryption.forecast else { return }
        let lines = lines(forecast, pane.key)
        pane.shownForecast = lines.joined(separator: "\n")
        var policy = localized("Encryption: %@", Wording.policy(forecast.policy))
        if !forecast.isOwnPolicy { policy += " " + localized("(as the account)") }
        console.showNotice(((pane.encryption.isAvailable ? [policy] : []) + lines).joined(separator: "\n"))
    }

    private func showOff() {
        console.showNotice(
            localized(
                "Encryption is off for this account; `hongyan keys policy when-possible` turns it on for programs that start later."
            ))
    }

    // MARK: Keys

    private func devices(of address: JID) -> DeviceListModel? {
        DeviceListModel(address, account: models.account, environment: models.environment)
    }

    /// Lists the devices of the open conversation or of an account, with numbers for the other commands.
    func showKeys(_ text: String?) {
        let address: JID
        if let text {
            do throws(ContactAddress.Refusal) {
                address = try ContactAddress.complete(text, for: models.account.address).bare
            } catch {
                return console.refuse(error, of: text)
            }
        } else if let key = models.conversation?.key, key.kind == .direct {
            address = key.address.bare
        } else {
            address = models.account.address
        }
        guard let model = devices(of: address) else { return showOff() }
        console.jobs.begin { [self] in
            await model.refresh()
            guard !Task.isCancelled else { return }
            if let failure = model.failure { return console.showHarmless(failure) }
            listedKeys = (address, model.devices)
            console.showNotice(localized("Devices of %@:", address))
            if model.devices.isEmpty { console.showNotice(localized("There is no device that can decrypt.")) }
            for (index, device) in model.devices.enumerated() {
                console.showNotice("\(index + 1). " + keyText(device))
            }
            if !model.isOwn, let own = model.thisDevice {
                console.showNotice(localized("Your device, for a comparison the other way") + ": " + keyText(own))
            }
            if let link = model.link {
                console.showNotice(localized("Link for others to verify this device: %@", link))
            }
        }
    }

    /// Name, trust and use of a device, and its fingerprint in lines of four groups.
    private func keyText(_ device: EncryptionDevice) -> String {
        let facts =
            [TerminalText.harmless(Wording.name(device))] + Wording.facts(device, now: models.environment.now())
        let fingerprint = Wording.lines(device.fingerprintGroups, perLine: 4)
        return facts.joined(separator: " · ") + (fingerprint.isEmpty ? "" : "\n" + fingerprint)
    }

    /// Changes the trust in a key that was listed, or of which the line has the fingerprint or a link.
    func decide(_ trust: DeviceTrust, _ text: String) {
        if trust == .verified, let request = VerificationRequest(text) { return verify(request) }
        guard let (address, listed) = listedKeys else {
            return console.showNotice(localized("List the devices with /keys first."))
        }
        let digits = text.lowercased().filter { !$0.isWhitespace && $0 != ":" }
        let number = digits.count <= Self.longestNumber ? Int(digits) : nil
        let device: EncryptionDevice? =
            if let number {
                listed.indices.contains(number - 1) ? listed[number - 1] : nil
            } else {
                listed.first { $0.fingerprint == digits }
            }
        guard let device, device.fingerprint != nil, !device.isThisDevice else {
            return console.showNotice(localized("There is no such key; /keys lists them."))
        }
        guard let model = devices(of: address) else { return }
        let change: @MainActor () async -> Void = { [self] in
            await model.setTrust(trust, in: device)
            if let failure = model.failure { return console.showHarmless(failure) }
            guard let now = model.devices.first(where: { $0.id == device.id }) else { return }
            listedKeys = (address, model.devices)
            console.showNotice(keyText(now))
        }
        // A whole fingerprint was compared by typing it.
        guard trust == .verified, number != nil else { return console.jobs.begin(change) }
        console.showNotice(keyText(device))
        console.confirm(localized("Does the other device show the same (yes/no)? "), change)
    }

    /// The digits of the largest number in a list; a fingerprint has more.
    private static let longestNumber = 4

    private func verify(_ request: VerificationRequest) {
        guard let model = devices(of: request.account) else { return showOff() }
        console.confirm(localized("Did you get this link from %@ in person (yes/no)? ", request.account)) {
            [console] in
            let sentence = await model.verify(request)
            if let text = sentence ?? model.failure { console.showHarmless(text) }
        }
    }
}
