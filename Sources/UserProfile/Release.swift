/// The release of the programs.
public enum Release {
    /// By [Semantic Versioning](https://semver.org/spec/v2.0.0.html).
    public static let version = "0.1.0"
}
