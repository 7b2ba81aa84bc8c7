package io.github.vertxrdma.provider.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Runs a test class once for each named fabric. The system property {@value #NAMED} names one fabric instead. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}")
@ArgumentsSource(OverFabrics.Names.class)
public @interface OverFabrics {
  String NAMED = "vertx.rdma.suite.fabric";

  /** Fabrics that are always tested. */
  String[] value();

  /** Fabrics added by the system properties {@code vertx.rdma.test.full} and {@code vertx.rdma.test.all}. */
  String[] full() default {};

  /** Fabrics added by the system property {@code vertx.rdma.test.all}. */
  String[] all() default {};

  final class Names implements ArgumentsProvider {
    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
      String named = System.getProperty(NAMED);
      if (named != null) {
        return Stream.of(Arguments.of(named));
      }
      OverFabrics fabrics = context.getRequiredTestClass().getAnnotation(OverFabrics.class);
      boolean all = Boolean.getBoolean("vertx.rdma.test.all");
      Stream<String> full = all || Boolean.getBoolean("vertx.rdma.test.full") ? Stream.of(fabrics.full()) : Stream.empty();
      Stream<String> longest = all ? Stream.of(fabrics.all()) : Stream.empty();
      return Stream.of(Stream.of(fabrics.value()), full, longest).flatMap(names -> names).map(Arguments::of);
    }
  }
}
