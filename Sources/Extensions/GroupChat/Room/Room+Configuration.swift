public import DataForms
public import XMPPAddress

extension Room {
    /// The configuration form for owners (XEP-0045 §10.2).
    public func configurationForm() async throws(GroupChatError) -> DataForm {
        try await request(RoomConfigurationRequest()).form
    }

    /// Submits the configuration form, which also unlocks a new room.
    public func configure(_ form: DataForm) async throws(GroupChatError) {
        _ = try await request(RoomOwnerRequest.configure(form))
        await refreshInformation()
    }

    /// Changes some settings, by the full names of their fields.
    ///
    /// Services differ in whether a missing field means "unchanged" or "default", so the whole form is submitted.
    public func configure(_ settings: [String: [String]]) async throws(GroupChatError) {
        let form = try await configurationForm()
        let fields = form.fields.compactMap { field -> DataFormField? in
            guard let name = field.name, field.kind != .fixed else { return nil }
            return DataFormField(name: name, kind: field.kind, values: settings[name] ?? field.values)
        }
        try await configure(DataForm(kind: .submit, fields: fields))
    }

    /// Unlocks a new room with the service's defaults (XEP-0045 §10.1.2).
    public func acceptDefaults() async throws(GroupChatError) {
        _ = try await request(RoomOwnerRequest.configure(DataForm(kind: .submit)))
    }

    /// Destroys the room (XEP-0045 §10.9).
    ///
    /// - Parameter alternative: the room to use instead.
    public func destroy(
        reason: String? = nil, alternative: JID? = nil, password: String? = nil
    ) async throws(GroupChatError) {
        _ = try await request(
            RoomOwnerRequest.destroy(.init(alternative: alternative, reason: reason, password: password)))
    }
}
