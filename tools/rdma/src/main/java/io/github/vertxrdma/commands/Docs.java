package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "docs", header = "Makes a site of the docs.", description = {"",
  "Makes a site of docs/*.adoc in target/site, and prints its address. A warning of Asciidoctor, a page that the index does"
    + " not name and a dead link are errors: each is a line, and the status is 1. Links to other sites are not tried.",
  "",
  "Asciidoctor comes from Maven Central the first time. If it cannot be downloaded, the status is 125. The site itself loads"
    + " nothing from elsewhere."})
public final class Docs implements RdmaCommand {
}
