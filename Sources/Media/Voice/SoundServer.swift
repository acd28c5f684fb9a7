/// Where sound comes from or goes to: PulseAudio, or PipeWire through its PulseAudio socket.
public struct SoundServer: Sendable, Hashable {
    /// The address in PulseAudio's notation, such as `unix:/run/user/1000/pulse/native`.
    public let address: String

    public init(address: String) {
        self.address = address
    }
}

extension Pipeline {
    /// Chooses server and device of the element named ``PipelineReports/soundElement``; `nil` leaves the system's default.
    func selectSound(device: String?, server: SoundServer?) {
        if let device { setString("device", of: PipelineReports.soundElement, to: device) }
        if let server { setString("server", of: PipelineReports.soundElement, to: server.address) }
        setString("client-name", of: PipelineReports.soundElement, to: "Hongyan")
    }
}
