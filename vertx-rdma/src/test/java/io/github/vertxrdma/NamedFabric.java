package io.github.vertxrdma;

import io.github.vertxrdma.provider.contract.OverFabrics;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A test over the fabric or device that a system property names, such as one of the verbs provider. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = NamedFabric.PROPERTY, matches = ".+",
  disabledReason = "it runs in the emulated machine: ./rdma test --verbs")
@interface NamedFabric {
  String PROPERTY = OverFabrics.NAMED;
}
