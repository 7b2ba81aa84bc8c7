package io.github.vertxrdma.functions;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PublicApiTest {
  /** The root package of the API without its subpackages, then three with theirs. The last two are shared with extensions. */
  private static final String[] API = {"io.github.vertxrdma", "io.github.vertxrdma.directory..", "io.github.vertxrdma.functions..",
    "io.github.vertxrdma.impl.calls..", "io.github.vertxrdma.base.."};

  @Test
  void moduleUsesOnlyThePublicApi() {
    noClasses().should().dependOnClassesThat(resideInAPackage("io.github.vertxrdma..").and(not(resideInAnyPackage(API))))
      .check(new ClassFileImporter().importPath("target/classes"));
  }
}
