public import XMLStreaming

/// The devices of an account that can decrypt (XEP-0384 §5.3.1).
///
/// ```
/// C: <devices xmlns='urn:xmpp:omemo:2'>
///      <device id='12345' label='Laptop' labelsig='b64'/>
///    </devices>
/// ```
public struct OMEMODeviceList: XMLEncodable, XMLDecodable, Hashable {
    public struct Device: Sendable, Hashable {
        public var id: OMEMODevice
        /// What its user calls the device. Show it only if ``isLabelSigned(by:using:)``.
        public var label: String?
        /// The signature of the label by the device's identity key, 64 bytes.
        public var labelSignature: [UInt8]?

        public init(_ id: OMEMODevice, label: String? = nil, labelSignature: [UInt8]? = nil) {
            self.id = id
            self.label = label
            self.labelSignature = labelSignature
        }

        /// The entry of this device, with a signed label.
        public init(
            _ id: OMEMODevice, label: String, by identity: IdentityKeyPair, using cryptography: any OMEMOCryptography
        ) throws(OMEMOError) {
            self.init(
                id, label: label,
                labelSignature: try identity.signature(of: Array(label.utf8), using: cryptography))
        }

        /// Whether the label is by the owner of `identity`; otherwise it must be ignored (XEP-0384 §5.3.1).
        public func isLabelSigned(by identity: IdentityKey, using cryptography: any OMEMOCryptography) -> Bool {
            guard let label, let labelSignature else { return false }
            return identity.isSignature(
                labelSignature, of: Array(label.utf8), generation: .current, using: cryptography)
        }
    }

    public var generation: OMEMOGeneration
    /// Each id once.
    public var devices: [Device]

    public init(_ generation: OMEMOGeneration, devices: [Device]) {
        self.generation = generation
        self.devices = devices
    }

    /// The name of the element in a generation.
    public static func name(of generation: OMEMOGeneration) -> XMLName {
        XMLName(generation == .legacy ? "list" : "devices", generation.namespace)
    }

    /// Reads the list of either generation. Entries with an invalid id, and repeated ones, are ignored, so that one
    /// program's fault does not hide the other devices; more than ``OMEMOLimits/devices`` entries are refused.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        guard let generation = OMEMOGeneration.allCases.first(where: { element.isNamed(Self.name(of: $0)) }) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self.generation = generation
        devices = []
        var ids: Set<OMEMODevice> = []
        var count = 0
        for child in element.children(XMLName("device", generation.namespace)) {
            count += 1
            guard count <= OMEMOLimits.devices else {
                throw XMLDecodingError(element.name, .invalid("more than \(OMEMOLimits.devices) devices"))
            }
            guard let id = child["id"].flatMap(OMEMODevice.init), ids.insert(id).inserted else { continue }
            var device = Device(id)
            if generation == .current, let label = child["label"], label.utf8.count <= OMEMOLimits.labelBytes,
                let signature = child["labelsig"].flatMap({ Base64.decode(ignoringWhitespace: $0) }),
                signature.count == 64
            {
                device.label = label
                device.labelSignature = signature
            }
            devices.append(device)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name(of: generation)) { writer in
            for device in devices {
                writer.element(XMLName("device", generation.namespace)) { writer in
                    writer.attribute("id", device.id.description)
                    guard generation == .current, let label = device.label, let signature = device.labelSignature
                    else { return }
                    writer.attribute("label", label)
                    writer.attribute("labelsig", Base64.encode(signature))
                }
            }
        }
    }
}
