package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "release", header = "Rehearses a release.", description = {"",
  "Builds the release twice, with sources, Javadoc (a warning is an error) and a bill of materials, compares the two byte for"
    + " byte, and puts the first into a staging repository in target/release. Signs it with a temporary key, checks the rules of"
    + " Maven Central one by one, and runs the README's first program in a project that uses only the staging repository.",
  "",
  "Each check is a line: ok, failed, or skipped with its reason. The status is 1 if one failed. Nothing is uploaded; the"
    + " project's workflow does that for a tag. MAVEN_ARGS has further arguments for Maven.",
  ""})
public final class Release implements RdmaCommand {
  @Option(names = "--dry-run", required = true, description = "Required: nothing is released from here.")
  boolean dryRun;
}
