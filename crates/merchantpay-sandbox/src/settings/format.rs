//! The formats of the settings.

macro_rules! formats {
    ($( $variant:ident $name:literal $doc:literal )+) => {
        /// A format in which the settings of a client are printed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum SettingsFormat {
            $( #[doc = concat!($doc, ".")] $variant, )+
        }

        impl SettingsFormat {
            /// Every format.
            pub const ALL: &[SettingsFormat] = &[ $( SettingsFormat::$variant, )+ ];

            /// The name, such as `php-fpm`.
            pub fn name(self) -> &'static str {
                match self { $( SettingsFormat::$variant => $name, )+ }
            }

            /// A short description of the content.
            pub fn description(self) -> &'static str {
                match self { $( SettingsFormat::$variant => $doc, )+ }
            }
        }
    };
}

formats! {
    Shell "shell" "Lines with export, for a shell"
    Dotenv "dotenv" "An environment file: for --env-file, for systemd, and as .env"
    Json "json" "One object, which also has the variables and every merchant"
    C "c" "A function that makes an mpay_config"
    Cpp "cpp" "A function that makes a merchantpay::Config"
    Python "python" "A module with a client"
    Php "php" "A file with a client"
    Go "go" "A file with a merchantpay.Config"
    PhpFpm "php-fpm" "Lines for a pool of php-fpm"
    Systemd "systemd" "A drop-in for a systemd unit"
}

impl SettingsFormat {
    /// The format of this name.
    pub fn named(name: &str) -> Option<SettingsFormat> {
        SettingsFormat::ALL.iter().copied().find(|format| format.name() == name)
    }
}
