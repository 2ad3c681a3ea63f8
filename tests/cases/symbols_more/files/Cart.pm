package Shop::Cart;

use strict;
use List::Util qw(sum);

=head1 NAME

fake - sub fake { }

=cut

# Makes a cart.
sub new {
    my ($class, %args) = @_;
    return bless {%args}, $class;
}

sub total {
    my $self = shift;
    my $taxed = sub {
        return $_[0] * 2;
    };
    return sum(map { $taxed->($_) } @{ $self->{lines} });
}

package Shop::Line {
    sub price { 1 }
}

my $text = <<'END';
sub also_fake { 1 }
END

1;
