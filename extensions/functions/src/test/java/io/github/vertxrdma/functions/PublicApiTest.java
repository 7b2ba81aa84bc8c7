package io.github.vertxrdma.functions;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PublicApiTest {
  @Test
  void moduleUsesOnlyThePublicApi() {
    noClasses().should().dependOnClassesThat().resideInAnyPackage("io.github.vertxrdma.impl..", "io.github.vertxrdma.provider..")
      .check(new ClassFileImporter().importPath("target/classes"));
  }
}
