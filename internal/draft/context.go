package draft

import "context"

// What tests put in the place of the operating system and of the charge travels on the context, so that no caller
// between them and a draft has to know of it.
type (
	filesKey  struct{}
	chargeKey struct{}
)

// WithFiles keeps drafts in other files.
func WithFiles(ctx context.Context, files Files) context.Context {
	return context.WithValue(ctx, filesKey{}, files)
}

// FilesOf are the files of a context: the operating system's, but in tests.
func FilesOf(ctx context.Context) Files {
	if f, ok := ctx.Value(filesKey{}).(Files); ok {
		return f
	}
	return OS
}

// WithCharging swaps the charge of a draw: charge is given what makes the true one.
func WithCharging(ctx context.Context, charge func(charge func() error) error) context.Context {
	return context.WithValue(ctx, chargeKey{}, charge)
}

// Charging makes a charge, or leaves it to what the context has in its place.
func Charging(ctx context.Context, charge func() error) error {
	if f, ok := ctx.Value(chargeKey{}).(func(func() error) error); ok {
		return f(charge)
	}
	return charge()
}
