internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// End-to-end encryption in the open conversation: what happens to the next message, and the keys of its devices.
extension TerminalChat {
    /// Says once why messages are not sent, or for which devices they are not readable; the mark before the input shows
    /// the rest.
    func showEncryption() {
        guard let pane = conversation else { return shownForecast = nil }
        let model = pane.encryption
        guard model.isAvailable, let forecast = model.forecast else { return }
        switch model.sign {
        case .encrypted, .clear: shownForecast = nil
        case .partly, .refused: break
        case .unknown: return
        }
        let lines = forecastLines(forecast, pane.key)
        let text = lines.joined(separator: "\n")
        guard model.sign == .partly || model.sign == .refused, text != shownForecast else { return }
        shownForecast = text
        showNotice(text)
    }

    /// What happens to the next message, and below it the devices that cannot read it.
    private func forecastLines(_ forecast: EncryptionForecast, _ key: ConversationKey) -> [String] {
        let sentence = Wording.forecast(forecast, with: name(of: key), in: key.kind)
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
        guard let pane = conversation else {
            showNotice(localized("Open a conversation first."))
            return true
        }
        let model = pane.encryption
        if let text {
            let policy = EncryptionPolicy(word: text)
            guard policy != nil || text == "default" else {
                showNotice(localized("Type %@.", "/encryption always|when-possible|never|default"))
                return false
            }
            guard model.isAvailable else {
                showNotice(offSentence)
                return true
            }
            await model.setPolicy(policy)
            if let failure = model.failure { showNotice(TerminalText.harmless(failure)) }
            model.clearFailure()
        } else {
            await model.refresh()
        }
        showForecast(model, pane.key)
        return true
    }

    private func showForecast(_ model: EncryptionModel, _ key: ConversationKey) {
        guard let forecast = model.forecast else { return }
        let lines = forecastLines(forecast, key)
        shownForecast = lines.joined(separator: "\n")
        var policy = localized("Encryption: %@", Wording.policy(forecast.policy))
        if !forecast.isOwnPolicy { policy += " " + localized("(as the account)") }
        showNotice((model.isAvailable ? [policy] : []) + lines)
    }

    private var offSentence: String {
        localized(
            "Encryption is off for this account; `hongyan keys policy when-possible` turns it on for programs that start later."
        )
    }

    private func showNotice(_ lines: [String]) { showNotice(lines.joined(separator: "\n")) }

    // MARK: Keys

    /// Lists the devices of the open conversation or of an account, with numbers for the other commands.
    func showKeys(_ text: String?) {
        let address: JID
        if let text {
            do throws(ContactAddress.Refusal) {
                address = try ContactAddress.complete(text, for: account.address).bare
            } catch {
                return showNotice(refusal(error, of: text))
            }
        } else if let key = conversation?.key, key.kind == .direct {
            address = key.address.bare
        } else {
            address = account.address
        }
        guard let model = DeviceListModel(address, account: account, environment: environment) else {
            return showNotice(offSentence)
        }
        begin { chat in
            await model.refresh()
            guard !Task.isCancelled else { return }
            if let failure = model.failure { return chat.showNotice(TerminalText.harmless(failure)) }
            chat.listedKeys = (address, model.devices)
            chat.showNotice(localized("Devices of %@:", address))
            if model.devices.isEmpty { chat.showNotice(localized("There is no device that can decrypt.")) }
            for (index, device) in model.devices.enumerated() {
                chat.showNotice("\(index + 1). " + chat.keyText(device))
            }
            if !model.isOwn, let own = model.thisDevice {
                chat.showNotice(localized("Your device, for a comparison the other way") + ": " + chat.keyText(own))
            }
            if let link = model.link { chat.showNotice(localized("Link for others to verify this device: %@", link)) }
        }
    }

    /// Name, trust and use of a device, and its fingerprint in lines of four groups.
    private func keyText(_ device: EncryptionDevice) -> String {
        let facts = [TerminalText.harmless(Wording.name(device))] + Wording.facts(device, now: environment.now())
        let fingerprint = Wording.lines(device.fingerprintGroups, perLine: 4)
        return facts.joined(separator: " · ") + (fingerprint.isEmpty ? "" : "\n" + fingerprint)
    }

    /// Changes the trust in a key that was listed, or of which the line has the fingerprint or a link.
    func decide(_ trust: DeviceTrust, _ text: String) {
        if trust == .verified, let request = VerificationRequest(text) { return verify(request) }
        guard let (address, devices) = listedKeys else {
            return showNotice(localized("List the devices with /keys first."))
        }
        let digits = text.lowercased().filter { !$0.isWhitespace && $0 != ":" }
        let number = digits.count <= Self.longestNumber ? Int(digits) : nil
        let device: EncryptionDevice? =
            if let number {
                devices.indices.contains(number - 1) ? devices[number - 1] : nil
            } else {
                devices.first { $0.fingerprint == digits }
            }
        guard let device, device.fingerprint != nil, !device.isThisDevice else {
            return showNotice(localized("There is no such key; /keys lists them."))
        }
        guard let model = DeviceListModel(address, account: account, environment: environment) else { return }
        let change: @MainActor (TerminalChat) async -> Void = { chat in
            await model.setTrust(trust, in: device)
            if let failure = model.failure { return chat.showNotice(TerminalText.harmless(failure)) }
            guard let now = model.devices.first(where: { $0.id == device.id }) else { return }
            chat.listedKeys = (address, model.devices)
            chat.showNotice(chat.keyText(now))
        }
        // A whole fingerprint was compared by typing it.
        guard trust == .verified, number != nil else { return begin(change) }
        showNotice(keyText(device))
        confirm(localized("Does the other device show the same (yes/no)? "), change)
    }

    /// The digits of the largest number in a list; a fingerprint has more.
    private static let longestNumber = 4

    private func verify(_ request: VerificationRequest) {
        guard let model = DeviceListModel(request.account, account: account, environment: environment) else {
            return showNotice(offSentence)
        }
        confirm(localized("Did you get this link from %@ in person (yes/no)? ", request.account)) { chat in
            let sentence = await model.verify(request)
            if let text = sentence ?? model.failure { chat.showNotice(TerminalText.harmless(text)) }
        }
    }
}
