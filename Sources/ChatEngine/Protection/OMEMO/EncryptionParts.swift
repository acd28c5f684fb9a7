internal import ChatStore
internal import XMPPAddress
internal import XMPPClient

/// The parts of the encryption of one account. Each is a type of its own, and knows only those that it calls.
final class EncryptionParts: Sendable {
    let context: EncryptionContext
    // What came.
    let occupants = OccupantAccounts()
    let strangers: Strangers
    let keyTrust: KeyTrust
    let sessions: SessionDecryption
    let repair: SessionRepair
    let copies: CopyExchange
    let postponed: PostponedMessages
    let opening: MessageOpening
    // What is sent.
    let audiences: Audiences
    let unused: UnusedDevices
    let sealing: MessageSealing
    let files: FileProtection
    let clearText: ClearTextRule
    // What people see and decide.
    let discovery: KeyDiscovery
    let devices: KnownDevices
    let decisions: EncryptionDecisions
    let forecaster: EncryptionForecaster
    let verification: KeyVerification

    /// - Parameter strangerLimit: the number of strangers whose records are stored.
    init(_ context: EncryptionContext, strangerLimit: Int) {
        self.context = context
        let bundles = FetchedBundles(now: context.now)
        strangers = Strangers(
            of: context.account, context.address, in: context.store, limit: strangerLimit, now: context.now)
        keyTrust = KeyTrust(context: context)
        sessions = SessionDecryption(context: context)
        repair = SessionRepair(context: context, keyTrust: keyTrust, strangers: strangers)
        copies = CopyExchange(context: context, strangers: strangers)
        postponed = PostponedMessages(context: context)
        opening = MessageOpening(
            context: context, sessions: sessions, keyTrust: keyTrust, repair: repair, copies: copies,
            postponed: postponed, strangers: strangers, occupants: occupants)
        audiences = Audiences(context, bundles: bundles)
        unused = UnusedDevices(context: context)
        let planner = SealingPlanner(context: context, keyTrust: keyTrust, bundles: bundles, unused: unused)
        sealing = MessageSealing(context: context, audiences: audiences, planner: planner, bundles: bundles)
        files = FileProtection(context: context, audiences: audiences, planner: planner)
        clearText = ClearTextRule(context: context)
        discovery = KeyDiscovery(context: context, bundles: bundles, keyTrust: keyTrust, strangers: strangers)
        devices = KnownDevices(context: context, bundles: bundles, discovery: discovery)
        decisions = EncryptionDecisions(context: context, bundles: bundles)
        forecaster = EncryptionForecaster(
            context: context, audiences: audiences, planner: planner, discovery: discovery, strangers: strangers)
        verification = KeyVerification(context: context, devices: devices)
    }

    /// Reads or makes the keys of this device. Until then nothing can be opened or sealed.
    ///
    /// - Throws: `ProtectionError` with `ownKeys`.
    func load() async throws(ProtectionError) {
        guard context.ownDevice.loaded == nil else { return }
        try await keyTrust.indexKeys()
        try await context.ownDevice.load()
    }
}
