# A formula of Homebrew; the release fills in url and sha256 of its sdist. `brew update-python-resources pybinlog`
# writes the resources of the four libraries.
class Pybinlog < Formula
  include Language::Python::Virtualenv

  desc "Read, check, ask and undo the binary logs of MySQL and MariaDB"
  license "Apache-2.0"
  head "file://#{__dir__}/../..", using: :git, branch: "main"

  depends_on "python@3.14"
  uses_from_macos "zlib"

  def install
    virtualenv_create(libexec, "python3.14", system_site_packages: false).pip_install_and_link buildpath
    generate_completions_from_executable(bin/"pybinlog", "completion", shells: [:bash, :zsh, :fish])
    pkgshare.install "testdata/shop"
  end

  test do
    assert_match "Transactions", shell_output("#{bin}/pybinlog summary #{pkgshare}/shop")
  end
end
