/// The limits beyond which a parser refuses an element with a named error, so that a peer cannot exhaust memory or
/// time.
public struct XMLLimits: Sendable, Hashable {
    /// Elements that may be open at once, not counting the stream element. At most 65,535.
    public var depth: Int { didSet { depth = min(max(depth, 1), 65_535) } }
    /// Bytes of one element below the stream element, including its tags; also of the stream header. At most 2³⁰.
    public var elementBytes: Int { didSet { elementBytes = min(max(elementBytes, 64), 1 << 30) } }
    /// Attributes of one start tag, including namespace declarations.
    public var attributesPerElement: Int { didSet { attributesPerElement = max(attributesPerElement, 1) } }
    /// Bytes of one element or attribute name, including its prefix. At most 32,767.
    public var nameBytes: Int { didSet { nameBytes = min(max(nameBytes, 1), 32_767) } }
    /// Prefixes that may be bound at once inside one element: every use of a prefix searches them.
    public var namespaceBindings: Int { didSet { namespaceBindings = max(namespaceBindings, 0) } }

    /// Bytes of one namespace, and of all namespaces that the stream header declares: each element that uses one has a
    /// copy. The namespaces of specifications have fewer than a hundred bytes.
    public var namespaceBytes: Int { didSet { namespaceBytes = max(namespaceBytes, 1) } }

    /// Values outside the range of a property are clamped to it.
    public init(
        depth: Int, elementBytes: Int, attributesPerElement: Int, nameBytes: Int, namespaceBindings: Int = 128,
        namespaceBytes: Int = 4096
    ) {
        (self.depth, self.elementBytes, self.attributesPerElement) = (1, 64, 1)
        (self.nameBytes, self.namespaceBindings, self.namespaceBytes) = (1, 0, 1)
        set(depth, elementBytes, attributesPerElement, nameBytes, namespaceBindings)
        setNamespaceBytes(namespaceBytes)
    }

    /// Outside the initialiser, so that the observers run.
    private mutating func set(_ depth: Int, _ bytes: Int, _ attributes: Int, _ nameBytes: Int, _ bindings: Int) {
        self.depth = depth
        elementBytes = bytes
        attributesPerElement = attributes
        self.nameBytes = nameBytes
        namespaceBindings = bindings
    }

    private mutating func setNamespaceBytes(_ bytes: Int) { namespaceBytes = bytes }

    /// For a peer that is not yet authenticated: stream features, SASL and a registration form with a picture fit
    /// easily.
    public static let beforeAuthentication = XMLLimits(
        depth: 32, elementBytes: 65_536, attributesPerElement: 32, nameBytes: 256, namespaceBindings: 16,
        namespaceBytes: 1024)

    /// For an authenticated stream: servers allow stanzas of 256 KiB to some MiB (RFC 6120 §13.12 asks for at least
    /// 10,000 bytes), and pictures inside stanzas need the space.
    public static let `default` = XMLLimits(
        depth: 128, elementBytes: 10 << 20, attributesPerElement: 128, nameBytes: 1024)

    /// For documents that the program itself wrote.
    package static let unlimited = XMLLimits(
        depth: 65_535, elementBytes: 1 << 30, attributesPerElement: .max, nameBytes: 32_767, namespaceBindings: .max,
        namespaceBytes: .max)
}
