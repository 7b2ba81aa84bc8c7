package io.github.vertxrdma.functions;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PublicApiTest {
  /** Packages of the API. Extensions share the last two. */
  private static final String[] API = {"io.github.vertxrdma", "io.github.vertxrdma.directory..", "io.github.vertxrdma.functions..",
    "io.github.vertxrdma.impl.calls..", "io.github.vertxrdma.base.."};
  /** Names the remedy when a thread cannot be started, and has threads that applications do not block. */
  private static final String THREADS = "io\\.github\\.vertxrdma\\.impl\\.(process\\.ThreadLimit|poll\\.BlockingCalls)";

  @Test
  void moduleUsesOnlyThePublicApi() {
    noClasses().should()
      .dependOnClassesThat(resideInAPackage("io.github.vertxrdma..").and(not(resideInAnyPackage(API))).and(not(nameMatching(THREADS))))
      .check(new ClassFileImporter().importPath("target/classes"));
  }
}
